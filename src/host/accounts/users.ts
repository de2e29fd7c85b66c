import { PanelError } from '../../errors.ts'
import { numberOf, openUserFiles } from './user-database.ts'
import type { Act, UserKey, Users } from '../contract.ts'
import type { Owner } from '../tools/files.ts'

// Ownership of user names and numbers, which both user databases and every step rely on.

/** A user's home, as its entry in passwd has it. */
export const homeOf = (username: string): string => `/home/${username}`

/** A user has this instead of a shell: files are transferred by SFTP only. */
export const noShell = '/usr/sbin/nologin'

/**
 * nginx's user and group: used by no other program, as its workers can read the keys of websites.
 */
export const webServer = 'panel-web'

/** The user of Adminer's PHP: used by nothing else, and by no account. */
export const adminerUser = 'panel-adminer'

/** Returns the numbers of nginx's user and group. */
export function webServerIds(): Owner {
  if (ids !== undefined) return ids
  const { fields } = openUserFiles(path => path)
  const uid = numberOf(fields('passwd', webServer))
  const gid = numberOf(fields('group', webServer))
  if (uid === undefined || gid === undefined) {
    throw new Error(`There is no user ${webServer}: the worker creates it when it starts`)
  }
  return (ids = { uid, gid })
}

// Needed for every home, and constant while the panel runs.
let ids: Owner | undefined

/** Returns whether a name is this user's; with another number it is the machine's own user. */
export function isOurs(fields: string[] | undefined, { username, uid }: UserKey): boolean {
  if (fields === undefined) return false
  if (numberOf(fields) !== uid) throw taken(username)
  return true
}

/** Returns whether the account's number belongs to another user or group of the machine. */
export function isUnmanaged(users: Pick<Users, 'nameOf'>, { username, uid }: UserKey): boolean {
  const name = users.nameOf(uid)
  return name !== undefined && name !== username
}

/**
 * Skips the step if the account's number belongs to something else: then nothing under it was ever
 * made for the account.
 */
export const unlessUnmanaged =
  (act: Act): Act =>
  async (machine, account) =>
    isUnmanaged(machine.users, account) ? undefined : act(machine, account)

/**
 * Refuses a number that belongs to something else. It does not refuse the request: the next attempt
 * gets the next number.
 */
export function refuseUnmanaged(users: Pick<Users, 'nameOf'>, user: UserKey): void {
  if (!isUnmanaged(users, user)) return
  throw new Error(`The user number ${user.uid} belongs to ${users.nameOf(user.uid)} on this server`)
}

export const taken = (username: string, cause?: unknown): PanelError =>
  new PanelError('username_taken', `username ${username} is taken on this server`, {
    cause,
    field: 'username',
  })
