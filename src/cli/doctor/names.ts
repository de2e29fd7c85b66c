import * as health from '../../model/server/database-health.ts'
import { type Checks, list, warning, well } from './check.ts'

/** Names that accounts have from before they were refused. */
export const nameChecks: Checks = {
  async users({ db }) {
    const reserved = await health.listReservedNames(await db())
    if (reserved.length === 0) return well('No account has the name of a user of the system')
    return warning(
      `Accounts have the names of users or groups that packages make: ${list(reserved)}`,
      'Do not install such a package, which would share its rights with the customer; give the ' +
        'customer an account of another name',
    )
  },
  async websites({ db }) {
    const nested = await health.listNested(await db())
    if (nested.length === 0) return well('No website lies below one of another account')
    return warning(
      `Websites lie below those of other accounts: ${list(nested)}`,
      'Both can read the cookies of each other’s visitors: remove one, or name the upper domain ' +
        'by panel shared-parent add where it is meant so',
    )
  },
}
