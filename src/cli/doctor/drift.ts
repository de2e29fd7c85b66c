import type { Drift } from '../../host/contract.ts'
import { findLeftovers, listSftpUsers, removeLeftovers } from '../../host/accounts/leftovers.ts'
import { listWebsites } from '../../host/web/orphaned-websites.ts'
import { listProcesses } from '../../host/accounts/user-processes.ts'
import * as health from '../../model/server/database-health.ts'
import { compare } from '../ctl/account-drift.ts'
import {
  type Checks,
  count,
  failure,
  fixedBy,
  fixedByRoot,
  findConcerns,
  list,
  requireKernel,
  rebuilds,
  requireRoot,
  warning,
  well,
} from './check.ts'

/** Checks for differences between the machine and the database. */
export const driftChecks: Checks = {
  async accounts({ rows, config, db }) {
    const since = new Date()
    const all = await rows()
    const differing = await compare(config, all)
    const busy = new Set(await health.listWorkedFor(await db(), since))
    const idle = differing.filter(({ username }) => !busy.has(username))
    const found = idle.map(one => `${one.username} (${inWords(one.differences[0]!)})`)
    if (found.length === 0) return well(`${count(all.length, 'account')} match the database`)
    const words = `The machine differs from the database for ${list(found)}`
    const advice = 'panel ctl rebuild corrects this, panel ctl rebuild --dry-run shows it'
    return fixedBy(failure(words, advice), ...rebuilds(idle.map(({ username }) => username)))
  },
  'not-applied': panel =>
    findConcerns(panel, 'drift/not-applied', {
      isWell: 'Every change has reached the machine',
      advice: ({ about }) =>
        'account' in about ? `panel ctl rebuild ${about.account}, and so on` : 'panel ctl rebuild',
    }),
  async warnings({ db }) {
    const warnings = await health.listWarnings(await db())
    if (warnings.length === 0) return well('The server can enforce all limits of packages')
    const words = warnings.map(one => `${one.warning} (${count(one.accounts, 'account')})`)
    return warning(words.join('; '), 'Fix the problem, then run panel ctl rebuild')
  },
  async websites({ db, machine }) {
    const { siteIds, names } = await health.listOrphaned(await db(), listWebsites(machine))
    const orphaned = [...siteIds, ...names]
    if (orphaned.length === 0) return well('nginx serves only known websites')
    const words = `nginx serves websites that no account has: ${list(orphaned)}`
    const advice = 'Run panel ctl rebuild to remove them'
    return fixedBy(failure(words, advice), { do: 'rebuild-server' })
  },
  async users({ db, machine }) {
    const known = new Set(await health.listUsernames(await db()))
    const orphaned = listSftpUsers(machine).filter(({ name }) => !known.has(name))
    if (orphaned.length === 0) return well('The machine has no users of deleted accounts')
    const names = list(orphaned.map(({ name }) => name))
    const remove = orphaned.map(({ name, group, isUser }) =>
      isUser ? `userdel ${name}` : `gpasswd -d ${name} ${group}`,
    )
    const advice = `${list([...new Set(remove)])}, after checking what they own`
    const found = warning(`Users without an account are in the panel's groups: ${names}`, advice)
    return fixedByRoot(found, remove[0]!)
  },
  async processes(panel) {
    requireKernel(panel)
    const asleep = new Map((await health.listAsleep(await panel.db())).map(one => [one.uid, one]))
    const found = new Set(listProcesses().flatMap(({ uid }) => asleep.get(uid)?.username ?? []))
    if (found.size === 0) return well('Nothing runs as a suspended or terminated account')
    const words = `Processes are running as suspended or terminated accounts: ${list([...found])}`
    const advice = `panel ctl rebuild ${[...found][0]} ends them`
    return fixedBy(failure(words, advice), ...rebuilds([...found]))
  },
  leftovers(panel) {
    requireRoot(panel)
    const { machine } = panel
    const found = findLeftovers(machine, Date.now())
    if (found.length === 0) return well('No leftovers of interrupted writes')
    const words = `Interrupted writes left files behind: ${list(found)}`
    const remove = () => {
      const names = removeLeftovers(machine, Date.now())
      return `removed ${count(names.length, 'file')}: ${list(names)}`
    }
    return warning(words, 'panel ctl doctor --fix removes them', remove)
  },
}

const inWords = (difference: Drift): string =>
  'sentence' in difference ? difference.sentence : difference.path
