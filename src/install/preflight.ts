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
// What the kernel takes of 1 GiB is not counted by it.
const minMemory = 900 * 2 ** 20
const minDisk = 2 * 2 ** 30
const rooms = ['/opt', '/var', '/home']
const ports = [80, 443, portalPort]

/**
 * Why nothing can be installed on this machine, each with what to do about it; empty where it can.
 * Changes nothing.
 */
export function whyNot(machine: Machine, release: Release): string[] {
  const reasons = [
    whyNotDebian(),
    whyNotProcessor(release),
    process.getuid?.() === 0 ? undefined : 'You are not root: run it with sudo',
    existsSync('/run/systemd/system')
      ? undefined
      : 'systemd does not run this machine: a container needs one that boots it',
    // What is installed already needs no more than it has.
    ...(existsSync(installedSettings) ? [] : [whyNoMemory(), ...rooms.map(whyNoRoom)]),
    whyWrongClock(release),
    ...ports.map(whyNotPort),
    ...Object.entries(knownPanels).map(([folder, name]) =>
      existsSync(folder)
        ? `${name} is installed here (${folder}): take a machine of its own for this panel`
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
  return `This is ${found}: take a machine with Debian ${debians.join(' or ')}`
}

const whyNotProcessor = ({ architecture }: Release): string | undefined =>
  process.arch === architecture
    ? undefined
    : `This release is for ${architecture}, the machine is ${process.arch}: take the other archive`

function whyNoMemory(): string | undefined {
  if (totalmem() >= minMemory) return undefined
  return `There are ${mebibytes(totalmem())} MB of memory: give the machine 1 GB or more`
}

function whyNoRoom(folder: string): string | undefined {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= minDisk) return undefined
  const free = mebibytes(bavail * bsize)
  return `The file system of ${folder} has ${free} MB free: make room for 2 GB`
}

// No certificate, token or signed link works with a wrong clock. It can't be right before the
// release was built; anything finer needs others, whom `panel ctl doctor` asks.
function whyWrongClock({ builtAt }: Release): string | undefined {
  if (Date.now() >= Date.parse(builtAt)) return undefined
  const now = new Date().toISOString()
  return `The clock says ${now}, before this release was built: set it (timedatectl set-ntp true)`
}

/** Why nothing is installed or taken off now; undefined where it may. */
export function whyInterrupted(): string | undefined {
  // Root's alone.
  const journal = process.getuid?.() === 0 ? readJournal() : undefined
  if (journal === undefined) return undefined
  const { kind, to } = journal
  return `The ${kind} to ${to} is under way or was interrupted: panel update ends it`
}

/** Why nginx cannot listen at a port; undefined where it can. */
export function whyNotPort(port: number): string | undefined {
  const name = listenerOn(port)
  if (name === undefined || name === 'nginx') return undefined
  return `Port ${port} is taken by ${name}: stop and remove it, nginx is to listen there`
}

function whyOtherVersion({ version }: Release): string | undefined {
  const installed = readRelease(currentRelease)?.version
  if (installed === version) return undefined
  if (installed !== undefined) {
    return `Version ${installed} is installed: panel update brings another, install does not`
  }
  // What was uninstalled has left its database; root alone can see of which version.
  if (process.getuid?.() !== 0) return undefined
  const { highest } = readHistory()
  if (highest === null || compareVersions(version, highest) >= 0) return undefined
  return `Version ${highest} was installed here, and its database is kept: take that or a newer one`
}

// Of an installed panel the numbers are its own accounts'.
function whyNotNumbers(machine: Machine): string | undefined {
  const highest = existsSync(installedSettings) ? 0 : highestNumber(machine)
  if (highest === 0) return undefined
  return `User number ${highest} is taken, and accounts get those from 20000 up: \
give its user another (usermod -u), or restore a backup with panel ctl dr-restore`
}

const mebibytes = (bytes: number): number => Math.floor(bytes / 2 ** 20)
