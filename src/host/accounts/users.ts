import { PanelError } from '../../errors.ts'
import { numberOf, openUserFiles } from './user-database.ts'
import type { Act, UserKey, Users } from '../contract.ts'
import type { Owner } from '../tools/files.ts'

// Whose a name and a number are, which both user databases and every step go by.

/** Where a user's home is, and what its entry in passwd says. */
export const homeOf = (username: string): string => `/home/${username}`

/** What a user has instead of a shell: files come and go by SFTP alone. */
export const noShell = '/usr/sbin/nologin'

/** nginx's user and group: no other program's, as its workers can read the keys of websites. */
export const webServer = 'panel-web'

/** Who Adminer's PHP is: nobody else, and no account. */
export const adminerUser = 'panel-adminer'

/** The numbers of nginx's user and group. */
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

// Asked for with every home, and never others while the panel runs.
let ids: Owner | undefined

/** Whether a name is this user's; one that has another number is the machine's own. */
export function isOurs(fields: string[] | undefined, { username, uid }: UserKey): boolean {
  if (fields === undefined) return false
  if (numberOf(fields) !== uid) throw taken(username)
  return true
}

/** Whether the account's number is that of another user or group of the machine. */
export function isUnmanaged(users: Pick<Users, 'nameOf'>, { username, uid }: UserKey): boolean {
  const name = users.nameOf(uid)
  return name !== undefined && name !== username
}

/**
 * Leaves alone what an account's number stands for where the number is somebody else's: then
 * nothing under it was ever made for the account.
 */
export const unlessUnmanaged =
  (act: Act): Act =>
  async (machine, account) =>
    isUnmanaged(machine.users, account) ? undefined : act(machine, account)

/**
 * Refuses a number that is somebody else's. It is no refusal of the request: the next attempt gets
 * the next number.
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
