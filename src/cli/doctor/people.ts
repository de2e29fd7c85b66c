import { listSharedNames } from '../../model/sellers/operators.ts'
import { type Checks, list, warning, well } from './check.ts'

/** Checks sign-in names. */
export const peopleChecks: Checks = {
  async names({ db }) {
    const shared = await listSharedNames(await db())
    if (shared.length === 0) return well('Every sign-in name belongs to one person')
    return warning(
      `Operators and accounts share names: ${list(shared)}; only operators can sign in with them`,
      'Customers need a sign-on link; terminate the account, or recreate it by another name',
    )
  },
}
