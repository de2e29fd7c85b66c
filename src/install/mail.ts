import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PanelError } from '../errors.ts'
import { daemonNames } from '../host/mail-server/daemons.ts'
import { dovecotFile } from '../host/mail-server/dovecot.ts'
import { beforeFolder, ownedFile } from '../host/mail-server/paths.ts'
import { listenerOn } from '../host/services/listening.ts'
import { ensureFile } from '../host/tools/files.ts'
import { CommandError, run } from '../host/tools/run.ts'
import { installPackages } from './packages.ts'
import type { Plan } from './plan.ts'

// The daemons of mail hosting, from the distribution.

/** The packages, and the purpose of each. */
export const mailPackages: Record<string, string> = {
  'dovecot-imapd': 'mailboxes',
  'dovecot-lmtpd': 'takes mail for mailboxes',
  'dovecot-managesieved': 'changes filters',
  'dovecot-sieve': 'filters and autoresponders',
  nftables: "keeps accounts' programs from sending past the panel",
  postfix: 'receives and sends mail',
  'postfix-lmdb': 'looks addresses up',
  rspamd: 'scores spam and signs by DKIM',
}

/** Packages of mail servers that may have been set up before. */
const others = new Set([
  ...['postfix', 'sendmail-bin', 'opensmtpd', 'citadel-server', 'courier-mta', 'nullmailer'],
  ...['exim4-daemon-light', 'exim4-daemon-heavy', 'msmtp-mta', 'ssmtp', 'esmtp-run', 'dma'],
  ...['dovecot-core', 'cyrus-imapd', 'courier-imap', 'rspamd'],
])

const ports = [25, 465, 587, 993, 4190]

export type MailInstall = {
  /** The packages to install. */
  missing: string[]
  /** The mail servers that are not the panel's, by their packages, or by their ports. */
  foreign: string[]
}

/** Returns what an installation would do; changes nothing. */
export function planMail(): MailInstall {
  const status = readFileSync('/var/lib/dpkg/status', 'utf8')
  const installed = Array.from(
    status.matchAll(/^Package: (.+)\nStatus: \w+ ok installed$/gm),
    ([, name = '']) => name,
  )
  const missing = Object.keys(mailPackages).filter(name => !installed.includes(name))
  // Once it is the panel's, it may be running.
  if (existsSync(ownedFile)) return { missing, foreign: [] }
  const listening = ports.flatMap(port => {
    const program = listenerOn(port)
    return program === undefined ? [] : [`${program} on port ${port}`]
  })
  return { missing, foreign: [...installed.filter(name => others.has(name)), ...listening] }
}

/**
 * Installs what is missing, without starting it: the worker does, with the panel's configuration.
 *
 * @throws {PanelError} `invalid`, if there is another mail server that is not to be replaced
 */
export async function installMail(
  { missing, foreign }: MailInstall,
  { takesOver, progress }: { takesOver: boolean; progress: Plan['progress'] },
): Promise<void> {
  if (foreign.length > 0 && !takesOver) {
    const words =
      `This server has a mail server already: ${foreign.join(', ')}. With --take-over the panel ` +
      `replaces its configuration, and keeps a copy in ${beforeFolder}`
    throw new PanelError('invalid', words)
  }
  mkdirSync(dirname(ownedFile), { recursive: true })
  if (!existsSync(ownedFile)) keepBefore()
  // Before the packages: a run that was interrupted finds them as its own.
  await ensureFile(ownedFile, 'Postfix, Dovecot and Rspamd are configured by the panel.\n', 0o644)
  if (missing.length === 0) return
  await maskNew()
  await installPackages(missing, progress)
}

const configured = [
  ...['/etc/postfix/main.cf', '/etc/postfix/master.cf', dovecotFile],
  '/etc/rspamd/rspamd.local.lua',
]
const configuredFolder = '/etc/rspamd/override.d'

function keepBefore(): void {
  const folder = existsSync(configuredFolder) ? readdirSync(configuredFolder) : []
  const files = [...configured, ...folder.map(name => join(configuredFolder, name))]
  mkdirSync(beforeFolder, { recursive: true, mode: 0o700 })
  for (const file of files.filter(one => existsSync(one))) {
    copyFileSync(file, join(beforeFolder, basename(file)))
  }
}

// Packages start their daemons, with a configuration that lets in users of the system.
async function maskNew(): Promise<void> {
  if (!existsSync('/run/systemd/system')) return
  const units = daemonNames.map(name => `${name}.service`)
  const known = units.filter(unit => existsSync(`/lib/systemd/system/${unit}`))
  const fresh = units.filter(unit => !known.includes(unit))
  if (fresh.length === 0) return
  await run('systemctl', ['mask', '--quiet', '--', ...fresh]).catch((error: unknown) => {
    // A unit that an administrator has written stays.
    if (!(error instanceof CommandError)) throw error
  })
}
