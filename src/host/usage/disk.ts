import { log } from '../../log.ts'
import type { DiskUse, DiskUser } from '../../model/server/host.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine } from '../contract.ts'
import { resources } from '../resources.ts'
import { isThere } from '../tools/files.ts'

// Disk use of accounts. A file system with quota knows all sums at once; otherwise files are
// counted, as the user that owns them.

// Rows stored at a time.
const chunkSize = 1_000
// Parallel counts: they all wait for one disk.
const counters = 4

/** Measures each user; leaves out those that cannot be measured now. */
export async function* measureDisk(
  machine: Machine,
  users: readonly DiskUser[],
): AsyncGenerator<DiskUse[]> {
  const measuredAt = new Date()
  const report = await machine.quota.measure()
  for (let start = 0; start < users.length; start += chunkSize) {
    const chunk = users.slice(start, start + chunkSize)
    if (report === undefined) yield* countAll(machine, chunk)
    // A user without files and limits is not in the report.
    else yield chunk.map(({ id, uid }) => ({ id, bytes: report.get(uid) ?? 0, measuredAt }))
  }
}

async function* countAll(machine: Machine, users: DiskUser[]): AsyncGenerator<DiskUse[]> {
  for (let start = 0; start < users.length; start += counters) {
    const group = users.slice(start, start + counters)
    const counted = await Promise.all(group.map(user => count(machine, user)))
    yield counted.filter(use => use !== undefined)
  }
}

async function count(machine: Machine, { id, uid, username }: DiskUser) {
  const measuredAt = new Date()
  try {
    const more = resources
      .flatMap(({ folderOf }) => (folderOf === undefined ? [] : machine.path(folderOf(uid))))
      .filter(isThere)
    const bytes = await machine.files.measure(uid, machine.path(homeOf(username)), more)
    return { id, bytes, measuredAt }
  } catch (error) {
    // The account may be being removed, or its processes were just killed.
    log.info("an account's disk use is unknown", { account: id, error })
    return undefined
  }
}
