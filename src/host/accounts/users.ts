import { PanelError } from '../../errors.ts'
import { readFile } from '../tools/files.ts'

// What both user databases share: the type, and how lines of passwd, group and shadow are read.

/** A user of the machine, by name and number: a name alone may be somebody else's by now. */
export type UserKey = { username: string; uid: number }

export type User = UserKey & { passwordHash: string }

/** The user database of the machine. Each function may run twice; each leaves strangers alone. */
export type Users = {
  /** The number that a name has now. */
  find(username: string): number | undefined
  /** The name that a number has now, as a user's or else as a group's. */
  nameOf(uid: number): string | undefined
  /**
   * Makes the user exist with this password, home and shell. A new one is locked and has no
   * password yet, and belongs to the group; a locked one stays so. Further groups are left alone.
   */
  ensure(user: User, group: string): Promise<void>
  /** No password and no key lets this user in any more. */
  lock(user: UserKey): Promise<void>
  unlock(user: User): Promise<void>
  remove(user: UserKey): Promise<void>
  ensureGroup(group: string): Promise<void>
  join(user: UserKey, group: string): Promise<void>
  leave(user: UserKey, group: string): Promise<void>
}

/** Where a user's home is, and what its entry in passwd says. */
export const homeOf = (username: string): string => `/home/${username}`

/** What a user has instead of a shell: files come and go by SFTP alone. */
export const noShell = '/usr/sbin/nologin'

export type Entry = { home: string; shell: string }

/** What a line of passwd says besides name and number. */
export const entryOf = ([, , , , , home = '', shell = '']: string[]): Entry => ({ home, shell })

/** The number of nginx's user and of its group, which are the same on every Debian. */
export function webServerId(): number {
  if (webServer !== undefined) return webServer
  const id = fieldsOf(readFile('/etc/passwd') ?? '', 'www-data')?.[2]
  if (id === undefined) throw new Error('There is no user www-data: is nginx installed?')
  webServer = Number(id)
  return webServer
}

// Asked for with every home, and never another while nginx is installed.
let webServer: number | undefined

/** The fields of the line of a name, or undefined. */
export function fieldsOf(text: string, name: string): string[] | undefined {
  const start = text.startsWith(`${name}:`) ? 0 : text.indexOf(`\n${name}:`) + 1
  if (start === 0 && !text.startsWith(`${name}:`)) return undefined
  const end = text.indexOf('\n', start)
  return text.slice(start, end < 0 ? undefined : end).split(':')
}

/** Whether a name is this user's; one that has another number is the machine's own. */
export function isOurs(fields: string[] | undefined, { username, uid }: UserKey): boolean {
  if (fields === undefined) return false
  if (fields[2] !== String(uid)) throw taken(username)
  return true
}

/** Whether the account's number is that of another user or group of the machine. */
export function isStrangers(users: Pick<Users, 'nameOf'>, { username, uid }: UserKey): boolean {
  const name = users.nameOf(uid)
  return name !== undefined && name !== username
}

/** The name of the first line whose third field is this number. */
export function nameIn(text: string, id: number): string | undefined {
  return new RegExp(`^([^:\\n]*):[^:\\n]*:${id}:`, 'm').exec(text)?.[1]
}

/**
 * Refuses a number that is somebody else's. It is no refusal of the request: the next try gets the
 * next number.
 */
export function refuseStrangers(users: Pick<Users, 'nameOf'>, user: UserKey): void {
  if (!isStrangers(users, user)) return
  throw new Error(`The number ${user.uid} is ${users.nameOf(user.uid)}'s on this server`)
}

export const taken = (username: string, cause?: unknown): PanelError =>
  new PanelError('invalid', `Username taken on this server: ${username}`, { cause })

/** A locked password never matches: no hash begins with an exclamation mark. */
export const isLocked = (shadow: string[] | undefined): boolean =>
  shadow?.[1]?.startsWith('!') === true

/** A new user's password is a lock and nothing else. */
export const isUnset = (shadow: string[] | undefined): boolean => shadow?.[1] === '!'

/** A user who expired on this day of 1970 is refused by every door, keys included. */
export const expired = '1'

export const isMember = (fields: string[] | undefined, username: string): boolean =>
  fields?.[3]?.split(',').includes(username) === true
