import { listSharedNames } from '../../model/sellers/operators.ts'
import { type Checks, list, warning, well } from './check.ts'

/** Who signs in. */
export const peopleChecks: Checks = {
  async names({ db }) {
    const shared = await listSharedNames(await db())
    if (shared.length === 0) return well('Every name is one person’s to sign in by')
    return warning(
      `Owners and accounts have the same name: ${list(shared)}; only the owner signs in by it`,
      'Its customer signs in by a link; terminate the account, or have it made under another name',
    )
  },
}
