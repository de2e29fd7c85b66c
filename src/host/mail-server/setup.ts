import { dirname } from 'node:path'
import { domain } from '../../model/grammar/grammar.ts'
import type { MailServer } from '../../model/server/mail-server.ts'
import type { Machine } from '../contract.ts'
import { ensureFile, ensureFolder, isThere, readFile, removeFile } from '../tools/files.ts'
import { setupCertificate, setupFolder } from '../web/mail-setup.ts'
import { mailCertificateFile, mailData } from './paths.ts'

// Gives nginx the name and the certificate of the mail server, for mail programs that ask for their
// settings.

const hostFile = `${mailData}/host`

/** Returns the name of the mail server; null if mail hosting is off. */
export function readMailHost(machine: Pick<Machine, 'path'>): string | null {
  const text = readFile(machine.path(hostFile))?.trim()
  return domain.safeParse(text).data ?? null
}

/** Records the name of the mail server for nginx, which is prepared next. */
export async function writeMailHost(machine: Machine, mail: MailServer | null): Promise<void> {
  const path = machine.path(hostFile)
  const before = readMailHost(machine)
  if (before !== null && before !== mail?.host) removeFile(machine.path(`${setupFolder}/${before}`))
  if (mail === null) {
    if (isThere(path)) removeFile(path)
    return
  }
  await copyMailCertificate(machine)
  ensureFolder(machine.path(setupFolder), 0o755, machine.files.owner(0, 0))
  await ensureFile(machine.path(`${setupFolder}/${mail.host}`), '', 0o644)
  await ensureFile(path, `${mail.host}\n`, 0o644)
}

/** Copies the mail server's certificate for nginx, which reads it at the next handshake. */
export async function copyMailCertificate(machine: Machine): Promise<void> {
  const text = readFile(machine.path(mailCertificateFile))
  if (text === undefined || !isThere(machine.path(dirname(setupCertificate)))) return
  const owner = machine.files.owner(0, 'web server')
  await ensureFile(machine.path(setupCertificate), text, 0o640, owner)
}
