import * as health from '../../model/server/database-health.ts'
import { type Checks, list, warning, well } from './check.ts'

/** Checks for names of existing accounts that would be refused today. */
export const nameChecks: Checks = {
  async users({ db }) {
    const reserved = await health.listReservedNames(await db())
    if (reserved.length === 0) return well('No account has the name of a system user')
    return warning(
      `Accounts have the names of users or groups of distribution packages: ${list(reserved)}`,
      'Do not install such a package: it would share its rights with the customer; move the ' +
        'customer to an account with another name',
    )
  },
  async websites({ db }) {
    const nested = await health.listNested(await db())
    if (nested.length === 0) return well('No website is below one of another account')
    return warning(
      `Websites are below those of other accounts: ${list(nested)}`,
      'Both can read the cookies of each other’s visitors: remove one, or add the upper domain ' +
        'with panel shared-parent add if that is intended',
    )
  },
}
