import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupCommit, type Outcome } from '../tools/group-commit.ts'
import { hasCode, readFile } from '../tools/files.ts'
import type { User, UserFiles, UserKey, Users } from '../contract.ts'
import {
  expired,
  fieldsOf,
  groupsOf,
  isKnown,
  isLocked,
  isUnset,
  membersOf,
  numberOf,
  openUserFiles,
  seeUserFiles,
} from '../accounts/user-database.ts'
import { homeOf, isOurs, noShell, refuseUnmanaged } from '../accounts/users.ts'

// The sandbox's user database, in files of the real format. It replaces the machine's tools, so
// nothing waits for the disk here.

type File = Parameters<UserFiles['fields']>[0]

export function sandboxUsers(path: (absolutePath: string) => string): Users {
  const files = openUserFiles(path)
  const { fields, find, nameOf } = files
  const editor = (file: File) =>
    groupCommit((changes: Change[]) => edit(path(`/etc/${file}`), changes))
  const editors = { passwd: editor('passwd'), group: editor('group'), shadow: editor('shadow') }
  const set = async (file: File, name: string, next: Next, seen: UserFiles = files) => {
    const before = seen.fields(file, name)
    if (!isSame(next(before), before)) await editors[file]({ name, next })
  }

  const setShadow = async (user: UserKey, next: (line: string[]) => string[]) => {
    if (!isKnown(files, user)) return
    await set('shadow', user.username, line => [user.username, ...next(line ?? ['', '!'])])
  }

  const join = ({ username }: UserKey, group: string) =>
    set('group', group, line =>
      line === undefined || membersOf(line).includes(username) ? line : withMember(line, username),
    )

  return {
    find,
    nameOf,

    recover() {
      for (const file of Object.keys(editors)) fs.rmSync(path(`/etc/${file}.new`), { force: true })
    },

    async ensure(user: User, ownGroup: string) {
      const { username, uid, passwordHash } = user
      const id = String(uid)
      const seen = seeUserFiles(path)
      refuseUnmanaged(seen, user)
      isOurs(seen.fields('passwd', username), user)
      isOurs(seen.fields('group', username), user)
      await set('group', username, line => line ?? [username, 'x', id, ''], seen)
      const channel = [homeOf(username), noShell]
      await set(
        'passwd',
        username,
        line => [username, 'x', id, id, line?.[4] ?? '', ...channel],
        seen,
      )
      const isNew = seen.fields('shadow', username) === undefined
      const withPassword: Next = line => {
        if (line === undefined) return [username, '!', ...agesOf('')]
        if (isUnset(line)) return line
        return [username, (isLocked(line) ? '!' : '') + passwordHash, ...line.slice(2)]
      }
      await set('shadow', username, withPassword, seen)
      if (isNew) await join(user, ownGroup)
    },

    lock: user => setShadow(user, line => [`!${line[1]?.replace(/^!/, '')}`, ...agesOf(expired)]),
    unlock: user =>
      setShadow(user, line => [
        isUnset(line) ? user.passwordHash : `${line[1]?.replace(/^!/, '')}`,
        ...agesOf(''),
      ]),

    async remove(user) {
      const { username, uid } = user
      const ownGroup = numberOf(fields('group', username)) === uid
      // The passwd entry goes last: until then a second run knows that the name is this user's.
      if (isKnown(files, user)) {
        for (const group of groupsOf(path, username)) {
          await set('group', group, line => without(line, username))
        }
        await set('shadow', username, () => undefined)
      }
      if (ownGroup) await set('group', username, () => undefined)
      if (isKnown(files, user)) await set('passwd', username, () => undefined)
    },

    async ensureGroup(group) {
      // A machine has its files before it has users.
      for (const file of ['passwd', 'shadow'] as const) {
        if (!fs.existsSync(path(`/etc/${file}`))) await editors[file](nothing)
      }
      // Far below the accounts' numbers, as on a real machine.
      await set('group', group, line => line ?? [group, 'x', '990', ''])
    },

    // Owners have no meaning here.
    ensureSystemUser: async () => {},

    join,

    removeFromGroup: ({ username }, group) => set('group', group, line => without(line, username)),
  }
}

/** The fields of shadow after the password: no ages, and the day of expiry. */
const agesOf = (expiry: string): string[] => ['', '0', '99999', '7', '', expiry, '']

const withMember = (line: string[], username: string): string[] => [
  ...line.slice(0, 3),
  [...membersOf(line), username].join(','),
]

const without = (line: string[] | undefined, username: string): string[] | undefined =>
  line && [
    ...line.slice(0, 3),
    membersOf(line)
      .filter(name => name !== username)
      .join(','),
  ]

type Next = (line: string[] | undefined) => string[] | undefined
type Change = { name: string; next: Next }

const nothing: Change = { name: '', next: line => line }

// Concurrent callers share one write of the file. Between taking the new file's name and the rename
// nothing else runs in this process, and no other process can take the name: it also locks the
// database, like /etc/passwd.lock elsewhere.
async function edit(file: string, changes: Change[]): Promise<Outcome[]> {
  const fresh = `${file}.new`
  const opened = await openFresh(fresh, file.endsWith('shadow') ? 0o600 : 0o644)
  try {
    let text = readFile(file) ?? ''
    for (const change of changes) text = changed(text, change) ?? text
    fs.writeFileSync(opened, text)
  } finally {
    fs.closeSync(opened)
  }
  fs.renameSync(fresh, file)
  return []
}

async function openFresh(fresh: string, mode: number): Promise<number> {
  for (;;) {
    try {
      return fs.openSync(fresh, 'wx', mode)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
    removeIfAbandoned(fresh)
    await sleep(2)
  }
}

const isSame = (one: string[] | undefined, other: string[] | undefined): boolean =>
  one?.join(':') === other?.join(':')

/**
 * Returns the text with the name's line replaced, added or removed; undefined if nothing changes.
 */
function changed(text: string, { name, next }: Change): string | undefined {
  const before = fieldsOf(text, name)
  const after = next(before)
  if (isSame(after, before)) return undefined
  const line = after === undefined ? '' : `${after.join(':')}\n`
  if (before === undefined) return text + line
  const old = `${before.join(':')}\n`
  const start = text.startsWith(old) ? 0 : text.indexOf(`\n${old}`) + 1
  return text.slice(0, start) + line + text.slice(start + old.length)
}

// An edit takes a few milliseconds: a process that has the name for longer was killed.
const abandonedAfterMs = 2_000

function removeIfAbandoned(fresh: string): void {
  const found = fs.lstatSync(fresh, { throwIfNoEntry: false })
  if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs) {
    fs.rmSync(fresh, { force: true })
  }
}
