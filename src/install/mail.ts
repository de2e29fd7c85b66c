import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PanelError } from '../errors.ts'
import type { Machine } from '../host/contract.ts'
import { mailDaemons } from '../host/mail-server/daemons.ts'
import { dovecotFile } from '../host/mail-server/dovecot.ts'
import {
  beforeFolder,
  mailboxFolder,
  mailCertificateFile,
  mailData,
  mailServerState,
  outboundUnitFile,
  ownedFile,
  postfixSockets,
  startedFile,
} from '../host/mail-server/paths.ts'
import { daemonNames } from '../host/mail-server/processes.ts'
import { rspamdFiles } from '../host/mail-server/rspamd.ts'
import { mailDropIns } from '../host/mail-server/units.ts'
import { listenerOn } from '../host/services/listening.ts'
import { ensureFile, removeFolder } from '../host/tools/files.ts'
import { CommandError, run } from '../host/tools/run.ts'
import { claimInstallation } from './install-lock.ts'
import { finishInterrupted, installPackages } from './packages.ts'
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

type MailInstall = {
  /** The packages to install. */
  missing: string[]
  /** The mail servers that are not the panel's, by their packages, or by their ports. */
  foreign: string[]
}

/** Returns what an installation would do; changes nothing. */
function planMail(): MailInstall {
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

type Options = {
  /** Whether another mail server is replaced. */
  takesOver: boolean
  report: (line: string) => void
  progress: { show: NonNullable<Plan['progress']>; clear: () => void }
}

/**
 * Installs what is missing, without starting it: the worker does, with the panel's configuration.
 *
 * @throws {PanelError} `invalid`, if there is another mail server that is not to be replaced
 */
export async function installMail({ takesOver, report, progress }: Options): Promise<void> {
  const { missing, foreign } = planMail()
  const why = takesOver ? undefined : toWords(foreign)
  if (why !== undefined) throw new PanelError('invalid', why)
  for (const name of missing) report(`installing ${name}`)
  mkdirSync(dirname(ownedFile), { recursive: true })
  if (!existsSync(ownedFile)) {
    keepBefore()
    // The daemons that run were not started by the panel.
    rmSync(startedFile, { force: true })
  }
  // Before the packages: a run that was interrupted finds them as its own.
  await ensureFile(ownedFile, 'Postfix, Dovecot and Rspamd are configured by the panel.\n', 0o644)
  try {
    if (missing.length > 0) {
      await maskNew()
      await installPackages(missing, progress.show).finally(progress.clear)
    }
  } finally {
    await removeMasks()
  }
}

/** Returns why mail hosting cannot be installed without replacing another mail server. */
export const whyNoMail = (): string[] => [toWords(planMail().foreign) ?? []].flat()

const toWords = (foreign: readonly string[]): string | undefined =>
  foreign.length === 0
    ? undefined
    : `This server has a mail server already: ${foreign.join(', ')}. panel mail enable ` +
      `--take-over replaces its configuration, and keeps a copy in ${beforeFolder}`

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

/** Stops mail hosting, and removes all of it; restores what was before. */
export async function removeMail(machine: Machine): Promise<void> {
  if (!existsSync(mailServerState)) return
  if (existsSync(ownedFile)) {
    if (readMasked().length > 0) await finishInterrupted()
    await removeMasks()
    await machine.part(mailDaemons).stop()
    const ours = [...configured, ...rspamdFiles().map(({ path }) => path)]
    for (const file of new Set(ours)) {
      const before = join(beforeFolder, basename(file))
      if (existsSync(before)) copyFileSync(before, file)
      else rmSync(file, { force: true })
    }
    for (const file of [outboundUnitFile, ...mailDropIns]) rmSync(file, { force: true })
    for (const file of mailDropIns) removeFolder(dirname(file))
    await run('systemctl', ['daemon-reload'])
  }
  // The mark goes first, so that a removal that was killed restores nothing twice: the copies of
  // the former configuration may be gone by then.
  const more = [mailboxFolder, mailCertificateFile, mailData, mailServerState]
  for (const path of [ownedFile, ...postfixSockets, ...more]) {
    rmSync(path, { recursive: true, force: true })
  }
}

// Packages start their daemons, with a configuration that lets in users of the system.
async function maskNew(): Promise<void> {
  if (!existsSync('/run/systemd/system')) return
  const units = daemonNames.map(name => `${name}.service`)
  const known = units.filter(unit => existsSync(`/lib/systemd/system/${unit}`))
  const fresh = units.filter(unit => !known.includes(unit))
  if (fresh.length === 0) return
  // Before they are masked: the next run finds those of one that was killed.
  const masked = [...new Set([...readMasked(), ...fresh])]
  await ensureFile(maskedFile, `${masked.join('\n')}\n`, 0o644)
  await run('systemctl', ['mask', '--quiet', '--', ...fresh]).catch((error: unknown) => {
    // A unit that an administrator has written stays.
    if (!(error instanceof CommandError)) throw error
  })
}

/** Units that are masked while their packages are installed, one a line. */
const maskedFile = `${mailServerState}/masked`

const readMasked = (): string[] =>
  existsSync(maskedFile) ? readFileSync(maskedFile, 'utf8').trim().split('\n') : []

// The units are disabled first: the worker enables them together with the panel's configuration.
async function removeMasks(): Promise<void> {
  const masked = readMasked()
  if (masked.length === 0) return
  await run('systemctl', ['disable', '--quiet', '--', ...masked])
  await run('systemctl', ['unmask', '--quiet', '--', ...masked])
  rmSync(maskedFile)
}

/**
 * Removes the masks that a killed installation of packages has left, so that an administrator can
 * use the units.
 *
 * @throws {PanelError} `busy`, while they are being installed
 */
export async function releaseMasks(): Promise<void> {
  if (readMasked().length === 0) return
  claimInstallation()
  // Otherwise a package that is still being installed would start its daemon.
  await finishInterrupted()
  await removeMasks()
}
