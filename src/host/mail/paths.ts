import type { Machine, UserFiles } from '../contract.ts'
import type { Owner } from '../tools/files.ts'

// The files of the mail service, which hands mail of PHP's mail() to the administrator's relay
// (docs/decisions/0052-mail-by-relay.md).

/** The user of the mail service, and its group. */
export const mailUser = 'panel-submit'

/** Programs and the relay. */
export const mailFolder = '/etc/panel/mail'

/** Permissions of accounts to send, by their user numbers. */
export const mailAccounts = `${mailFolder}/accounts`

export const accountFileOf = (uid: number): string => `${mailAccounts}/${uid}`

/** Settings of PHP on the command line, for cron jobs. */
export const mailPhpFolder = `${mailFolder}/php`

/** The relay as msmtp reads it, and its password alone, as msmtp accepts it only from its user. */
export const relayFile = `${mailFolder}/relay`
export const relayPasswordFile = `${mailFolder}/relay-password`

/** The service's counts of sent mail. */
export const mailState = '/var/lib/panel-submit'

/** The folder of the socket that every user may open. */
export const mailSocketFolder = '/run/panel/mail'

/** The program that mail() starts. */
export const sendmailPath = `/usr/bin/perl ${mailFolder}/sendmail -t -i`

/**
 * Returns the owner of files that root writes and only the service reads; undefined where owners
 * have no meaning.
 *
 * @throws where the service has no group
 */
export function mailOwner(machine: Machine, { fields }: UserFiles): Owner | undefined {
  if (machine.files.owner(0, 0) === undefined) return undefined
  const gid = Number(fields('group', mailUser)?.[2])
  if (!Number.isInteger(gid)) throw new Error(`There is no group ${mailUser}`)
  return machine.files.owner(0, gid)
}
