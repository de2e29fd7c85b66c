import { join } from 'node:path'
import { log } from '../../log.ts'
import type { Host, TendedUser } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { sessionSweepSeconds } from '../php/limits.ts'
import { isFolder, listNames } from '../tools/files.ts'
import { servedOf } from './served.ts'
import { siteRulesOf } from './site-rules.ts'
import { homeOf, isUnmanaged } from './users.ts'

// Maintenance of homes, without a change of their account: expired PHP sessions are removed, and
// the web server gets access to files that came from elsewhere (moved out of /tmp, unpacked with
// former access lists).

// Listings of several accounts at once: they all wait for one disk.
const atOnce = 4
// Enough for several million files; the rest waits for another turn.
const listMs = 30_000
// Maximum folders within the folder of all websites.
const maxWebsites = 1_000

/** The operations that the worker calls for homes. */
export const tendingOf = (machine: Machine) =>
  ({
    ...siteRulesOf(machine),

    async tendHomes(users, signal) {
      const waiting = [...users]
      const next = async () => {
        for (let user = waiting.shift(); user && !signal.aborted; user = waiting.shift()) {
          await tend(machine, user)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, next))
    },
  }) satisfies Partial<Host>

// A failure caused by one account's home does not stop the others.
async function tend(machine: Machine, user: TendedUser): Promise<void> {
  try {
    if (isUnmanaged(machine.users, user)) return
    const folder = machine.path(`${homeOf(user.username)}/tmp`)
    if (isFolder(folder)) await machine.files.removeSessions(user.uid, folder, sessionSweepSeconds)
    await readmit(machine, user)
  } catch (error) {
    log.info('the maintenance of a home failed', { account: user.id, error })
  }
}

/** Gives the web server access to files that it should be able to read, and returns how many. */
export async function readmit(
  machine: Machine,
  { username, uid, sites }: Omit<TendedUser, 'id'>,
): Promise<number> {
  if (isUnmanaged(machine.users, { username, uid })) return 0
  const resolved = machine.path(`${homeOf(username)}/sites`)
  const names = listNames(resolved).slice(0, maxWebsites)
  const websites = names.map(name => join(resolved, name)).filter(path => isFolder(path))
  const isBelow = (path: string) => websites.some(one => path.startsWith(`${one}/`))
  // Links lead to other folders of the home.
  const open = [...names.map(name => ({ domain: name })), ...sites.slice(0, maxWebsites)]
  const served = open.map(site => servedOf(machine, username, site))
  const linked = served.flatMap(({ resolved }) =>
    resolved && !isBelow(resolved) ? [resolved] : [],
  )
  const above = served.flatMap(({ above }) => above).filter(path => isFolder(path))
  const options = { timeoutMs: listMs }
  const list = machine.files.listUnreadable
  const closed = await list([...new Set(above)], { ...options, isFlat: true })
  const below = await list([...new Set([...websites, ...linked])], options)
  const unreadable = [...new Set([...closed.paths, ...below.paths])]
  if (unreadable.length > 0) await machine.files.readmitWebServer(uid, unreadable)
  return unreadable.length
}
