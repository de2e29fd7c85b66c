import { openLimits } from '../../host/accounts/quota.ts'
import { quotaInstructions } from '../../install/disk-quota.ts'
import {
  type Checks,
  fixedBy,
  failure,
  list,
  rebuilds,
  requireRoot,
  Skip,
  warning,
  well,
} from './check.ts'

/** Whether the disk limits of packages are kept. */
export const quotaChecks: Checks = {
  async 'file-system'(panel) {
    requireRoot(panel)
    const problem = await panel.machine.quota.whyNone()
    if (problem === null) throw new Skip('The sandbox host has no quota')
    if (problem === undefined) return well('The file system of /home has quotas on')
    const [first, then] = quotaInstructions()
    return warning(`Disk limits are not enforced: ${problem}`, `${first} Then: ${then}`)
  },
  async limits(panel) {
    requireRoot(panel)
    const differs = await openLimits(panel.machine)
    if (differs === undefined) throw new Skip('The file system of /home has no quota')
    const names = (await panel.accounts()).filter(differs).map(({ username }) => username)
    if (names.length === 0) return well('Every account has the disk limit of its package')
    const words = `The disk limit differs from the package for ${list(names)}`
    return fixedBy(failure(words, `panel ctl rebuild ${names[0]}, and so on`), ...rebuilds(names))
  },
}
