import type { HostAccount } from '../../model/accounts/host-account.ts'
import { sftpGroupOf } from '../access/sftp.ts'
import type { Resource, UserFiles } from '../contract.ts'
import { isForeignHome } from './home.ts'
import { entryOf, expired, expiryOf, numberOf } from './user-database.ts'
import { homeOf, noShell, taken } from './users.ts'

/** The account's user, with its password, expiry, shell and home in the user database. */
export const user: Resource = {
  name: 'user',
  async ensure(machine, account) {
    const { username } = account
    const isNew = machine.users.find(username) === undefined
    if (isNew && isForeignHome(machine, account)) throw taken(username)
    await machine.users.ensure(account, sftpGroupOf(account))
  },
  remove: ({ users }, account) => users.remove(account),
  drift: (_, users) => account => userDrift(account, users),
}

function userDrift(account: HostAccount, users: UserFiles): string[] {
  const { username, uid, desired, passwordHash } = account
  const entry = users.fields('passwd', username)
  if (entry === undefined) return ['the user is missing']
  const number = numberOf(entry)
  if (number !== uid) return [`the user has the number ${number}`]
  const differences: string[] = []
  const { group, home, shell } = entryOf(entry)
  if (group !== String(uid)) differences.push('the primary group differs')
  if (shell !== noShell) differences.push('the shell differs')
  if (home !== homeOf(username)) differences.push('the home in the user database differs')
  const isActive = desired === 'active'
  const shadow = users.fields('shadow', username)
  const password = shadow?.[1]
  // A user that was created while suspended gets its password when the suspension ends.
  const isUnset = !isActive && password === '!'
  if (!isUnset && password !== (isActive ? '' : '!') + passwordHash) {
    differences.push('the password differs')
  }
  if (expiryOf(shadow) !== (isActive ? '' : expired)) differences.push('the expiry differs')
  return differences
}
