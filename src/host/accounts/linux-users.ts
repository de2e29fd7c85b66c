import { Mutex } from 'async-mutex'
import pRetry from 'p-retry'
import type { Machine, User, UserKey, Users } from '../contract.ts'
import { asError, groupCommit, type Outcome } from '../tools/group-commit.ts'
import { CommandError } from '../tools/run.ts'
import {
  entryOf,
  expired,
  expiryOf,
  isKnown,
  isLocked,
  isUnset,
  membersOf,
  numberOf,
  openUserFiles,
} from './user-database.ts'
import { homeOf, isOurs, noShell, refuseUnmanaged, taken } from './users.ts'

// The machine's user database, changed with the machine's own tools. The files are read first, so
// that an entry that already agrees starts no process.

type Run = Machine['run']

export function linuxUsers(run: Run): Users {
  const tool = queued(run)
  const files = openUserFiles(path => path)
  const { fields, find, nameOf } = files
  const isMember = (username: string, group: string) =>
    membersOf(fields('group', group)).includes(username)
  const shadowOf = ({ username }: UserKey) => fields('shadow', username)

  const setPasswords = (stdin: string) => tool('chpasswd', ['-e'], { stdin })
  // Creates that shared a reload set their passwords together. The tool sets all passwords or none.
  const setTogether = groupCommit<string>(async lines => {
    try {
      await setPasswords(lines.join(''))
      return lines.map(() => undefined)
    } catch (error) {
      if (lines.length === 1 || isLockedByAnother(error)) throw error
      const outcomes: Outcome[] = []
      for (const line of lines) {
        const last = outcomes.at(-1)
        // After one has hung alone, the others would hang too.
        outcomes.push(hasHung(last) ? last : await setPasswords(line).then(() => {}, asError))
      }
      return outcomes
    }
  })
  const setPassword = async (username: string, hash: string) =>
    void (await setTogether(`${username}:${hash}\n`))

  const correct = async ({ username, uid }: User, entry: string[]) => {
    const { group, home, shell } = entryOf(entry)
    // Without -m, no file is moved. While the user has processes, such as PHP, usermod changes its
    // home only if given the location of the user database (-P), and ignores a plain slash.
    const location = home === homeOf(username) ? [] : ['-P', '/.', '-d', homeOf(username)]
    // The group gets no files: the home is root's.
    const own = group === String(uid) ? [] : ['-g', String(uid)]
    const flags = [...location, ...own, ...(shell === noShell ? [] : ['-s', noShell])]
    if (flags.length > 0) await tool('usermod', [...flags, '--', username])
  }

  return {
    find,
    nameOf,
    // The tools recover by themselves.
    recover: () => {},

    async ensure(user: User, group: string) {
      const { username, uid, passwordHash } = user
      const id = String(uid)
      refuseUnmanaged({ nameOf }, user)
      const found = fields('passwd', username)
      const hasUser = isOurs(found, user)
      const hasGroup = isOurs(fields('group', username), user)
      if (!hasUser) {
        // -l: lastlog would grow to the size of the highest number; -M: nothing is copied from
        // /etc/skel.
        const flags = ['-l', '-M', '-c', '', '-s', noShell, '-G', group]
        const location = ['-u', id, '-d', homeOf(username)]
        // useradd makes a group of the same number in the same process.
        const own = ['-U', '-K', `GID_MIN=${id}`, '-K', `GID_MAX=${id}`]
        const groups = hasGroup ? ['-N', '-g', id] : own
        // Accounts get no subordinate ids for containers.
        const none = ['-K', 'SUB_UID_COUNT=0', '-K', 'SUB_GID_COUNT=0']
        const args = [...flags, ...location, ...groups, ...none, '--', username]
        await tool('useradd', args).catch(nameTaken(username))
        return
      }
      if (!hasGroup) await tool('groupadd', ['-g', id, '--', username]).catch(nameTaken(username))
      await correct(user, found ?? [])
      const current = shadowOf(user)
      // Set last, when everything that the password gives access to exists.
      if (isUnset(current)) return
      // `chpasswd` alone would remove the lock of a suspended account.
      const password = (isLocked(current) ? '!' : '') + passwordHash
      if (current?.[1] !== password) {
        await setPassword(username, password)
      }
    },

    async lock(user) {
      if (!isKnown(files, user)) return
      const shadow = shadowOf(user)
      if (isLocked(shadow) && expiryOf(shadow) === expired) return
      // Locking the password does not stop keys; only the expiry does.
      await tool('usermod', ['-L', '-e', expired, '--', user.username])
    },

    async unlock(user) {
      if (!isKnown(files, user)) return
      const shadow = shadowOf(user)
      if (!isLocked(shadow) && expiryOf(shadow) === '') return
      if (isUnset(shadow)) await setPassword(user.username, user.passwordHash)
      if (isUnset(shadow) && expiryOf(shadow) === '') return
      await tool('usermod', ['-U', '-e', '', '--', user.username])
    },

    async remove(user) {
      const { username, uid } = user
      // Neither -r nor -f: the home has been moved away, and no process is left.
      if (isKnown(files, user)) await tool('userdel', ['--', username]).catch(alreadyGone)
      // On most machines, userdel also removes the group of the same name.
      if (numberOf(fields('group', username)) === uid) {
        await tool('groupdel', ['--', username]).catch(alreadyGone)
      }
    },

    async ensureGroup(group) {
      if (fields('group', group) === undefined) await tool('groupadd', ['-r', '--', group])
    },

    async ensureSystemUser(name) {
      const gid = fields('passwd', name)?.[3]
      if (gid === undefined) {
        const location = ['-M', '-d', '/nonexistent', '-s', noShell]
        await tool('useradd', ['-r', '-U', ...location, '--', name])
      } else if (fields('group', name) === undefined) {
        // A killed useradd has written one file but not the other.
        await tool('groupadd', ['-r', '-g', gid, '--', name])
      }
    },

    async join({ username }, group) {
      if (isMember(username, group)) return
      await tool('gpasswd', ['-a', username, group])
    },

    async removeFromGroup({ username }, group) {
      if (!isMember(username, group)) return
      await tool('gpasswd', ['-d', username, group])
    },
  }
}

const timeoutMs = 30_000

// Queues calls of the tools: they wait for one lock of the whole database, in processes that cost
// time and memory, so they wait here instead. If another program (an administrator's vipw) has the
// lock, the call is retried.
function queued(run: Run): Run {
  const turn = new Mutex()
  return (...command) => {
    const askedAt = performance.now()
    return turn.runExclusive(() => {
      // A call that waited for others that all failed is tried once.
      const leftMs = timeoutMs - (performance.now() - askedAt)
      return pRetry(() => run(...command), {
        retries: leftMs > 0 ? 20 : 0,
        minTimeout: 100,
        maxTimeout: 2_000,
        maxRetryTime: Math.max(0, leftMs),
        shouldRetry: ({ error }) => isLockedByAnother(error),
      })
    })
  }
}

const hasHung = (outcome: Outcome): outcome is CommandError =>
  outcome instanceof CommandError && outcome.exitCode === undefined

// A full disk makes the lock fail with the same message.
const isLockedByAnother = (error: unknown): boolean =>
  error instanceof CommandError &&
  error.stderr.includes('cannot lock') &&
  !error.stderr.includes('No space left')

// 9: the name is already known, from a directory that is not a file of this machine.
const nameTaken = (username: string) => (error: unknown) => {
  throw error instanceof CommandError && error.exitCode === 9 ? taken(username, error) : error
}

// 6: no such user or group exists.
const alreadyGone = (error: unknown) => {
  if (!(error instanceof CommandError && error.exitCode === 6)) throw error
}
