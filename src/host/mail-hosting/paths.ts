import { dkimFolder, mailboxFolder, passwdFolder } from '../mail-server/paths.ts'

// The files of accounts' mail. Their folders, and the empty maps, are made when the server's mail
// is switched on (docs/decisions/0055-mail.md).

/** Mailboxes of a domain with their passwords, for Dovecot. */
export const passwdFile = (domain: string): string => `${passwdFolder}/${domain}`

export const keyFile = (domain: string, selector: string): string =>
  `${dkimFolder}/${domain}.${selector}.key`

/** The mailboxes of an account: its processes may enter the folder, and change nothing in it. */
export const mailboxesOf = (uid: number): string => `${mailboxFolder}/${uid}`

/** The home of a mailbox, as Dovecot sees it. */
export const homeOfMailbox = (uid: number, domain: string, localPart: string): string =>
  `${mailboxesOf(uid)}/${domain}/${localPart}`
