import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { HostMailbox, HostMailDomain } from '../../model/mail/host-mail.ts'
import { homeOf } from '../accounts/users.ts'
import { trash, trashPathOf } from '../accounts/trash.ts'
import type { Machine } from '../contract.ts'
import {
  agrees,
  ensureFile,
  ensureFolder,
  isFolder,
  isFolderSo,
  isThere,
  removeFile,
  removeFolder,
} from '../tools/files.ts'
import { autoresponderFile, filtersFile, mailboxFolder } from '../mail-server/paths.ts'
import { homeOfMailbox, mailboxesOf } from './paths.ts'
import { domainsOf, mailboxesIn, namesOf, renderAutoresponder, renderFilters } from './rendering.ts'

// Folders of mailboxes. Those above a mailbox are root's, so that its user cannot replace them. The
// account's group may list them, to count their size; Dovecot, which has the account's number but
// another group, can enter them.

type Frame = { path: string; mode: number; uid: number }

function frameOf(account: HostAccount): Frame[] {
  const { uid } = account
  const all = domainsOf(account).filter(one => mailboxesIn(one).length > 0)
  const above = { mode: 0o751, uid: 0 }
  return all.length === 0
    ? []
    : [
        { path: mailboxesOf(uid), ...above },
        ...all.flatMap(one => [
          { path: `${mailboxesOf(uid)}/${one.domain}`, ...above },
          ...mailboxesIn(one).map(({ localPart }) => ({
            ...{ path: homeOfMailbox(uid, one.domain, localPart), mode: 0o700, uid },
          })),
        ]),
      ]
}

/** Makes the folders of an account's mailboxes, with what answers their mail. */
export async function ensureFolders(machine: Machine, account: HostAccount): Promise<void> {
  const { uid } = account
  const frame = frameOf(account)
  if (frame.length === 0) return
  ensureFolder(machine.path(mailboxFolder), 0o711, machine.files.owner(0, 0))
  for (const one of frame) {
    ensureFolder(machine.path(one.path), one.mode, machine.files.owner(one.uid, uid))
  }
  for (const { path, text } of scriptsOf(account)) {
    const location = machine.path(path)
    if (text !== undefined) {
      await ensureFile(location, text, 0o644, machine.files.owner(0, 0))
    } else if (isThere(location)) {
      removeFile(location)
      // Dovecot's compiled form.
      removeFile(location.replace(/\.sieve$/, '.svbin'))
    }
  }
  await machine.sync(mailboxFolder, mailboxesOf(uid))
}

// A suspended account answers nothing.
function scriptsOf(account: HostAccount): { path: string; text: string | undefined }[] {
  return domainsOf(account).flatMap(one =>
    mailboxesIn(one).flatMap(mailbox => {
      const { autoresponder, filters, localPart } = mailbox
      const home = homeOfMailbox(account.uid, one.domain, localPart)
      return [
        {
          path: `${home}/${autoresponderFile}`,
          text:
            autoresponder === null || account.desired !== 'active'
              ? undefined
              : renderAutoresponder(autoresponder, namesOf(one, mailbox)),
        },
        {
          path: `${home}/${filtersFile}`,
          text: filters.length === 0 ? undefined : renderFilters(filters),
        },
      ]
    }),
  )
}

/** Returns what differs, as sentences. */
export function folderDrift(machine: Machine, account: HostAccount): string[] {
  const { uid } = account
  const wrong = frameOf(account)
    .filter(one => !isFolderSo(machine.path(one.path), one.mode, machine.files.owner(one.uid, uid)))
    .map(({ path }) => `${path} is missing, or has another mode or owner`)
  const scripts = scriptsOf(account).filter(({ path, text }) =>
    text === undefined
      ? isThere(machine.path(path))
      : !agrees(machine.path(path), text, 0o644, machine.files.owner(0, 0)),
  )
  return [...wrong, ...scripts.map(({ path }) => `${path} differs`)]
}

/** Sets the folder of a removed mailbox aside: its account keeps the mail, among its own files. */
export async function setAside(
  machine: Machine,
  { uid, username }: HostAccount,
  { domain }: HostMailDomain,
  { localPart }: HostMailbox,
): Promise<void> {
  const from = machine.path(homeOfMailbox(uid, domain, localPart))
  if (!isFolder(from)) return
  const files = machine.path(`${homeOf(username)}/files`)
  const plain = join(files, `removed-${localPart}@${domain}`.slice(0, 240))
  let to = plain
  for (let count = 2; isThere(to); count++) to = `${plain}-${count}`
  // Only the last name of the path may be the user's: a rename does not follow that one.
  if (isFolder(files)) renameSync(from, to)
  else await machine.files.removeNow(from)
  await machine.sync(`${mailboxesOf(uid)}/${domain}`)
}

/** Removes the folder of a domain without mailboxes. */
export const removeDomainFolder = (machine: Machine, uid: number, domain: string): void =>
  removeFolder(machine.path(`${mailboxesOf(uid)}/${domain}`))

/**
 * Moves the mailboxes of a terminated account into its home, which goes to the trash next; if that
 * has gone already, after it.
 */
export async function trashMailboxes(machine: Machine, account: HostAccount): Promise<void> {
  const { uid, username } = account
  const from = machine.path(mailboxesOf(uid))
  if (!isFolder(from)) return
  const home = machine.path(homeOf(username))
  const isOwn = machine.users.find(username) === uid && isFolder(home)
  const parent = isOwn ? home : machine.path(trashPathOf(uid))
  if (!isOwn) ensureFolder(parent, 0o700, machine.files.owner(0, 0))
  let to = join(parent, 'mailboxes')
  for (let count = 2; isThere(to); count++) to = join(parent, `mailboxes-${count}`)
  renameSync(from, to)
  await machine.sync(mailboxFolder, isOwn ? homeOf(username) : trash)
}
