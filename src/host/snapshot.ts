import { type AtJobs, lookAtJobs } from './access/at-jobs.ts'
import { readFile } from './tools/files.ts'
import type { Machine } from './machine.ts'
import { lookAtLimits } from './accounts/quota-report.ts'
import { type Entry, entryOf, type UserKey } from './accounts/users.ts'

// What is looked up for each of many accounts, read once for all of them.

export type Snapshot = {
  /** The number that a name has now. */
  find(username: string): number | undefined
  /** The name that a number has now, as a user's or else as a group's. */
  nameOf(uid: number): string | undefined
  /** The home and the shell that passwd has. */
  entryOf(user: UserKey): Entry | undefined
  /** The password as shadow has it, and the day on which the user expires. */
  shadowOf(user: UserKey): { password: string; expires: string } | undefined
  isMember(user: UserKey, group: string): boolean
  /** What there is of the user's jobs of `at`. */
  atJobsOf(uid: number): AtJobs | undefined
  /** Whether the account's PHP answers. */
  runsPhp(uid: number): boolean
  /** The limits of a user's files, as `setquota` takes them; missing where no quota is kept. */
  diskLimitOf?: ((uid: number) => string) | undefined
}

/** The user database and the PHP of the machine as they are now. */
export async function takeSnapshot(machine: Machine): Promise<Snapshot> {
  const [php, diskLimitOf, atJobs] = await Promise.all([
    machine.services.runningPhp(),
    lookAtLimits(machine),
    lookAtJobs(machine),
  ])
  const linesOf = (file: string) =>
    (readFile(machine.path(`/etc/${file}`)) ?? '').split('\n').map(line => line.split(':'))
  const byName = (lines: string[][]) => new Map(lines.map(fields => [fields[0], fields]))
  const byNumber = (lines: string[][]) => new Map(lines.map(([name, , id]) => [Number(id), name]))
  const [users, groups] = [linesOf('passwd'), linesOf('group')]
  const [named, numbered] = [byName(users), byNumber([...groups, ...users])]
  const shadows = byName(linesOf('shadow'))
  const members = new Map(groups.map(([name, , , list = '']) => [name, new Set(list.split(','))]))
  return {
    find: username => {
      const id = named.get(username)?.[2]
      return id === undefined ? undefined : Number(id)
    },
    nameOf: uid => numbered.get(uid),
    entryOf: ({ username }) => {
      const fields = named.get(username)
      return fields && entryOf(fields)
    },
    shadowOf: ({ username }) => {
      const fields = shadows.get(username)
      return fields && { password: fields[1] ?? '', expires: fields[7] ?? '' }
    },
    isMember: ({ username }, group) => members.get(group)?.has(username) === true,
    atJobsOf: uid => atJobs.get(uid),
    runsPhp: uid => php.has(uid),
    diskLimitOf,
  }
}
