import type { Drift } from '../../host/contract.ts'
import { findLeftovers, listSftpUsers, removeLeftovers } from '../../host/accounts/leftovers.ts'
import { listWebsites } from '../../host/web/orphaned-websites.ts'
import { listProcesses } from '../../host/accounts/user-processes.ts'
import * as health from '../../model/server/database-health.ts'
import { compare } from '../ctl/comparison.ts'
import {
  type Checks,
  count,
  failure,
  findConcerns,
  list,
  requireKernel,
  requireRoot,
  warning,
  well,
} from './check.ts'

/** Where rows and machine disagree. */
export const driftChecks: Checks = {
  async accounts({ rows, config, db }) {
    const since = new Date()
    const all = await rows()
    const differing = await compare(config, all)
    const busy = new Set(await health.listWorkedFor(await db(), since))
    const found = differing
      .filter(({ username }) => !busy.has(username))
      .map(one => `${one.username} (${inWords(one.differences[0]!)})`)
    if (found.length === 0) return well(`${count(all.length, 'account')} as the rows say`)
    const words = `The machine differs from the rows for ${list(found)}`
    return failure(words, 'panel ctl rebuild --dry-run shows all of it, panel ctl rebuild mends it')
  },
  'not-applied': panel =>
    findConcerns(panel, 'drift/not-applied', {
      isWell: 'Every change has reached the machine',
      advice: ({ about }) =>
        'account' in about ? `panel ctl rebuild ${about.account}, and so on` : 'panel ctl rebuild',
    }),
  async warnings({ db }) {
    const warnings = await health.listWarnings(await db())
    if (warnings.length === 0) return well('The server can do all that packages promise')
    const words = warnings.map(one => `${one.warning} (${count(one.accounts, 'account')})`)
    return warning(words.join('; '), 'Mend what the sentence names, then panel ctl rebuild')
  },
  async websites({ db, machine }) {
    const { siteIds, names } = await health.listOrphaned(await db(), listWebsites(machine))
    const strange = [...siteIds, ...names]
    if (strange.length === 0) return well('nginx serves nothing but known websites')
    const words = `nginx finds websites that no account has: ${list(strange)}`
    return failure(words, 'panel ctl rebuild, which removes them')
  },
  async users({ db, machine }) {
    const known = new Set(await health.listUsernames(await db()))
    const strange = listSftpUsers(machine).filter(({ name }) => !known.has(name))
    if (strange.length === 0) return well('The machine has no user of an account that is gone')
    const names = list(strange.map(({ name }) => name))
    const remove = strange.map(({ name, group, isUser }) =>
      isUser ? `userdel ${name}` : `gpasswd -d ${name} ${group}`,
    )
    const advice = `${list([...new Set(remove)])}, after a look at what is theirs`
    return warning(`Users of no account are in the panel's groups: ${names}`, advice)
  },
  async processes(panel) {
    requireKernel(panel)
    const asleep = new Map((await health.listAsleep(await panel.db())).map(one => [one.uid, one]))
    const found = new Set(listProcesses().flatMap(({ uid }) => asleep.get(uid)?.username ?? []))
    if (found.size === 0) return well('Nothing runs as a suspended or terminated account')
    const words = `Processes run as accounts that may run none: ${list([...found])}`
    return failure(words, `panel ctl rebuild ${[...found][0]}, which ends them`)
  },
  leftovers(panel) {
    requireRoot(panel)
    const { machine } = panel
    const found = findLeftovers(machine, Date.now())
    if (found.length === 0) return well('No interrupted write has left a file')
    const words = `Interrupted writes have left files: ${list(found)}`
    const remove = () => {
      const names = removeLeftovers(machine, Date.now())
      return `removed ${count(names.length, 'file')}: ${list(names)}`
    }
    return warning(words, 'panel ctl doctor --fix removes them', remove)
  },
}

const inWords = (difference: Drift): string =>
  'sentence' in difference ? difference.sentence : difference.path
