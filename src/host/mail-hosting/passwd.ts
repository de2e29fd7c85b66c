import { lstatSync, renameSync, utimesSync } from 'node:fs'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { HostMailDomain } from '../../model/mail/host-mail.ts'
import type { Machine } from '../contract.ts'
import {
  agrees,
  ensureFile,
  isThere,
  type Owner,
  readFile,
  removeFile,
  syncFolder,
} from '../tools/files.ts'
import { dovecotVersions } from '../mail-server/dovecot.ts'
import { passwdFolder } from '../mail-server/paths.ts'
import { passwdFile } from './paths.ts'
import { renderPasswd } from './rendering.ts'

// Lists of mailboxes for Dovecot, one file for each domain.

const mode = 0o640

/**
 * Writes a list. Dovecot reads it again if its size or its time in seconds has changed: a hash is
 * as long as the one before, so a list written within the second is dated a second later.
 *
 * @returns whether an earlier login is gone or has changed
 */
export async function ensurePasswd(
  machine: Machine,
  domain: string,
  text: string,
): Promise<boolean> {
  const path = machine.path(passwdFile(domain))
  const owner = ownerOf(machine)
  if (agrees(path, text, mode, owner)) return false
  const former = readFile(path) ?? ''
  const fresh = machine.path(freshOf(domain))
  await ensureFile(fresh, text, mode, owner)
  const before = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const time = new Date(Math.max(Date.now(), before + 1_000))
  utimesSync(fresh, time, time)
  renameSync(fresh, path)
  await syncFolder(machine.path(passwdFolder))
  const lines = new Set(text.split('\n'))
  return former.split('\n').some(line => !lines.has(line))
}

const freshOf = (domain: string): string => `${passwdFolder}/.${domain}.next`

/** Removes a list, and the remains of an interrupted write of it; returns whether there was one. */
export function removePasswd(machine: Machine, domain: string): boolean {
  const isThereYet = isThere(machine.path(passwdFile(domain)))
  for (const path of [freshOf(domain), passwdFile(domain)]) removeFile(machine.path(path))
  return isThereYet
}

/** Returns whether a list is as it should be, in either language of Dovecot. */
export const isPasswdSo = (machine: Machine, account: HostAccount, one: HostMailDomain): boolean =>
  dovecotVersions.some(language =>
    agrees(
      machine.path(passwdFile(one.domain)),
      renderPasswd(account, one, language),
      mode,
      ownerOf(machine),
    ),
  )

// Dovecot's group was given to the folder when the server's mail was switched on.
function ownerOf(machine: Machine): Owner | undefined {
  if (machine.files.owner(0, 0) === undefined) return undefined
  return machine.files.owner(0, lstatSync(machine.path(passwdFolder)).gid)
}
