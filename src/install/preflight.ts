import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { highestNumber } from '../host/accounts/user-numbers.ts'
import type { Machine } from '../host/contract.ts'
import { compareVersions } from '../model/server/versions.ts'
import { knownPanels } from './known-panels.ts'
import { listenerOn } from '../host/services/listening.ts'
import { currentRelease, readRelease, type Release } from './release.ts'
import { portalPort } from './settings.ts'
import { installedSettings } from './settings-file.ts'
import { readHistory, readJournal } from './update/journal.ts'

const debians = ['12', '13']
// Less than 1 GiB, as the kernel does not count its own part.
const minMemory = 900 * 2 ** 20
const minDisk = 2 * 2 ** 30
const rooms = ['/opt', '/var', '/home']
const ports = [80, 443, portalPort]

/**
 * Returns why nothing can be installed on this machine, each with what to do about it; empty if it
 * can. Changes nothing.
 */
export function whyNot(machine: Machine, release: Release): string[] {
  const reasons = [
    whyNotDebian(),
    whyNotProcessor(release),
    process.getuid?.() === 0 ? undefined : 'You are not root: use sudo',
    existsSync('/run/systemd/system')
      ? undefined
      : 'systemd is not running: in a container, boot it with systemd',
    // An installed panel needs no more than it has.
    ...(existsSync(installedSettings) ? [] : [whyNoMemory(), ...rooms.map(whyNoRoom)]),
    whyWrongClock(release),
    ...ports.map(whyNotPort),
    ...Object.entries(knownPanels).map(([folder, name]) =>
      existsSync(folder)
        ? `${name} is installed here (${folder}): use a separate server for this panel`
        : undefined,
    ),
    whyOtherVersion(release),
    whyInterrupted(),
    whyNotNumbers(machine),
  ]
  return [...new Set(reasons.filter(reason => reason !== undefined))]
}

function whyNotDebian(): string | undefined {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1]
  if (field('ID') === 'debian' && debians.includes(field('VERSION_ID') ?? '')) return undefined
  const found = field('PRETTY_NAME') ?? 'an unknown system'
  return `This is ${found}: use a server with Debian ${debians.join(' or ')}`
}

const whyNotProcessor = ({ architecture }: Release): string | undefined =>
  process.arch === architecture
    ? undefined
    : `This release is for ${architecture}, this server is ${process.arch}: use the other archive`

function whyNoMemory(): string | undefined {
  if (totalmem() >= minMemory) return undefined
  return `This server has ${mebibytes(totalmem())} MB of memory: it needs 1 GB or more`
}

function whyNoRoom(folder: string): string | undefined {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= minDisk) return undefined
  const free = mebibytes(bavail * bsize)
  return `The file system of ${folder} has ${free} MB free: it needs 2 GB`
}

// No certificate, token or signed link works with a wrong clock. It cannot be right before the
// release was built; anything more precise needs a time server, which `panel ctl doctor` asks.
function whyWrongClock({ builtAt }: Release): string | undefined {
  if (Date.now() >= Date.parse(builtAt)) return undefined
  const now = new Date().toISOString()
  return `The clock shows ${now}, before this release was built: set it (timedatectl set-ntp true)`
}

/** Returns why nothing can be installed or uninstalled now; undefined if it can. */
export function whyInterrupted(): string | undefined {
  // Only root may read it.
  const journal = process.getuid?.() === 0 ? readJournal() : undefined
  if (journal === undefined) return undefined
  const { kind, to } = journal
  return `The ${kind} to ${to} is in progress or was interrupted: finish it with panel update`
}

/** Returns why nginx cannot listen on a port; undefined if it can. */
export function whyNotPort(port: number): string | undefined {
  const name = listenerOn(port)
  if (name === undefined || name === 'nginx') return undefined
  return `Port ${port} is in use by ${name}: stop and remove it, nginx needs this port`
}

function whyOtherVersion({ version }: Release): string | undefined {
  const installed = readRelease(currentRelease)?.version
  if (installed === version) return undefined
  if (installed !== undefined) {
    return `Version ${installed} is installed: to change the version, use panel update`
  }
  // An uninstalled panel leaves its database; only root can see of which version.
  if (process.getuid?.() !== 0) return undefined
  const { highest } = readHistory()
  if (highest === null || compareVersions(version, highest) >= 0) return undefined
  return `Version ${highest} was installed here and its database was kept: install that version \
or a newer one`
}

// On an installed panel, the numbers belong to its own accounts.
function whyNotNumbers(machine: Machine): string | undefined {
  const highest = existsSync(installedSettings) ? 0 : highestNumber(machine)
  if (highest === 0) return undefined
  return `User number ${highest} is in use, but accounts need the numbers from 20000 up: \
give its user another number (usermod -u), or restore a backup with panel ctl dr-restore`
}

const mebibytes = (bytes: number): number => Math.floor(bytes / 2 ** 20)
