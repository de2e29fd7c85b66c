import { join } from 'node:path'
import { log } from '../../log.ts'
import type { DiskUser, Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { sessionSweepSeconds } from '../php/limits.ts'
import { isFolder, listNames } from '../tools/files.ts'
import { servedOf } from './served.ts'
import { siteRulesOf } from './site-rules.ts'
import { homeOf, isUnmanaged } from './users.ts'

// What homes need now and then, with no change of their account: PHP's sessions end, and files that
// came from elsewhere (moved out of /tmp, unpacked with their former access lists) are served.

// Of all accounts, at the same time: they all wait for one disk.
const atOnce = 4
// Some million files; the rest waits for another turn.
const listMs = 30_000
// Folders in that of all websites.
const maxWebsites = 1_000

/** What the worker asks of the machine for homes. */
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

// What an account has done to its home keeps no other from its turn.
async function tend(machine: Machine, user: DiskUser): Promise<void> {
  try {
    if (isUnmanaged(machine.users, user)) return
    const folder = machine.path(`${homeOf(user.username)}/tmp`)
    if (isFolder(folder)) await machine.files.removeSessions(user.uid, folder, sessionSweepSeconds)
    await readmit(machine, user)
  } catch (error) {
    log.info('the upkeep of a home failed', { account: user.id, error })
  }
}

/** Lets the web server into what it should be able to read, and returns how much that was. */
export async function readmit(
  machine: Machine,
  { username, uid }: Pick<DiskUser, 'username' | 'uid'>,
): Promise<number> {
  if (isUnmanaged(machine.users, { username, uid })) return 0
  const place = machine.path(`${homeOf(username)}/sites`)
  const names = listNames(place).slice(0, maxWebsites)
  const websites = names.map(name => join(place, name)).filter(path => isFolder(path))
  const isBelow = (path: string) => websites.some(one => path.startsWith(`${one}/`))
  // Links lead to other places of the home.
  const served = names.map(name => servedOf(machine, username, name))
  const linked = served.flatMap(({ place }) => (place && !isBelow(place) ? [place] : []))
  const above = served.flatMap(({ above }) => above).filter(path => isFolder(path))
  const look = { timeoutMs: listMs }
  const list = machine.files.listUnreadable
  const closed = await list([...new Set(above)], { ...look, isFlat: true })
  const below = await list([...new Set([...websites, ...linked])], look)
  const unreadable = [...new Set([...closed.paths, ...below.paths])]
  if (unreadable.length > 0) await machine.files.readmitWebServer(uid, unreadable)
  return unreadable.length
}
