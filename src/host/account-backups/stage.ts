import { mkdirSync, readFileSync, statfsSync } from 'node:fs'
import { PanelError } from '../../errors.ts'
import type { RestoreRun } from '../../model/account-backups/backup-service.ts'
import { selectRows } from '../../model/account-backups/backed-up-rows.ts'
import type { RunResult } from '../../model/account-backups/restores.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine, Resource } from '../contract.ts'
import { isThere } from '../tools/files.ts'
import { findItems, type FoundItems } from './find-items.ts'
import {
  type Location,
  repositoryOf,
  rowsFile,
  spoolOf,
  stagingFolder,
  stagingOf,
} from './paths.ts'
import { restic } from './restic.ts'
import { runner } from './runner.ts'

// The reading of a restore. The tree of a backup is the customer's, who may have made it to do
// harm: restic writes it as its own user into a folder of its own; then only root may enter, and
// nothing is kept but files, folders and links, which nothing follows.

/** Reads parts of a snapshot: see `BackupService`. */
export async function stage(
  machine: Machine,
  run: RestoreRun,
  resource: Resource | undefined,
): Promise<RunResult> {
  const { username, uid, items, snapshot, signal } = run
  const location = restoreOf(run)
  const { end, makeStaging } = machine.part(runner)
  await end(location)
  await emptyStaging(machine, uid)
  const found = await findItems(machine, run, location, resource)
  await requireRoom(machine, run, found)
  mkdirSync(machine.path(stagingFolder), { recursive: true, mode: 0o700 })
  const staging = machine.path(stagingOf(uid))
  await makeStaging(staging)
  const home = machine.path(homeOf(username))
  const tops = items.everything
    ? ['sites', 'files'].map(name => `${home}/${name}`)
    : found.paths.map(path => `${home}/${path}`)
  const spool = [rowsFile, ...found.dumps].map(name => machine.path(`${spoolOf(uid)}/${name}`))
  const mail = found.mailboxes.map(name => machine.path(resource!.parts!.pathOf(uid, name)))
  const includes = [...tops, ...mail, ...spool].flatMap(path => ['--include', escaped(path)])
  const args = ['restore', '--no-lock', '--target', staging, ...includes, '--', snapshot]
  await restic(machine, location, args, { signal, staging })
  await seize(machine, { staging, trees: [home, ...mail].map(path => `${staging}${path}`), uid })
  const { bytes, files, warnings, ...staged } = found
  const text = readFileSync(stagedPathOf(machine, uid, `${spoolOf(uid)}/${rowsFile}`), 'utf8')
  return { staged, rows: selectRows(text, username, staged), bytes, files, warnings }
}

export const emptyStaging = async (machine: Machine, uid: number): Promise<void> => {
  const staging = machine.path(stagingOf(uid))
  if (isThere(staging)) await machine.files.removeIdly(staging)
}

/** Returns the path of a staged object, by its path on the machine. */
export const stagedPathOf = (machine: Machine, uid: number, path: string): string =>
  `${machine.path(stagingOf(uid))}${machine.path(path)}`

// A unit of its own: the next backup of the account may begin meanwhile.
const restoreOf = ({ repository }: RestoreRun): Location => {
  const location = repositoryOf(repository)
  return { ...location, unit: `${location.unit}-restore` }
}

// The patterns of restic are those of a shell.
const escaped = (path: string): string => path.replaceAll(/[\\*?[\]]/g, '\\$&')

// Before a byte is written. Sparse files count with their whole size.
async function requireRoom(
  machine: Machine,
  { username, uid, keepsReplaced }: RestoreRun,
  { bytes, paths }: FoundItems,
): Promise<void> {
  const { bavail, bsize } = statfsSync(machine.path('/home'))
  if (bytes * 1.05 > bavail * bsize) {
    throw new PanelError('invalid', `The server has no room for ${megabytes(bytes)}`)
  }
  const room = (await machine.quota.measureRoom())?.get(uid)
  if (room === undefined || bytes <= room) return
  const home = homeOf(username)
  const replaced = keepsReplaced ? 0 : await measure(machine, { uid, home, paths })
  if (bytes <= room + replaced) return
  const advice = keepsReplaced ? ', unless replaced files are not kept' : ''
  const left = `${megabytes(room + replaced)} are left${advice}`
  throw new PanelError('invalid', `The account has no room for ${megabytes(bytes)}: ${left}`)
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`

// As the account, which may replace anything by a link.
async function measure(
  machine: Machine,
  { uid, home, paths }: { uid: number; home: string; paths: readonly string[] },
): Promise<number> {
  const there = paths.map(path => machine.path(`${home}/${path}`)).filter(isThere)
  if (there.length === 0) return 0
  const args = ['-s', '-c', '-x', '--block-size=1', '--', ...there]
  const options = { as: uid, acceptedCodes: [1], timeoutMs: longMs }
  return Number(/^([0-9]+)\ttotal$/m.exec(await machine.run('du', args, options))?.[1] ?? 0)
}

const longMs = 3_600_000

// Takes the tree from restic's user, which has no process in it any more, for root; then what is to
// be moved becomes the account's.
async function seize(
  machine: Machine,
  { staging, trees, uid }: { staging: string; trees: readonly string[]; uid: number },
): Promise<void> {
  if (!machine.tools.areRequired) return
  const { run } = machine
  const long = { timeoutMs: longMs }
  await run('chown', ['root:root', '--', staging])
  const odd = ['!', '-type', 'd', '!', '-type', 'f', '!', '-type', 'l']
  await run('find', [staging, '-xdev', ...odd, '-delete'], long)
  const special = ['!', '-type', 'l', '-perm', '/7000']
  await run('find', [staging, '-xdev', ...special, '-exec', 'chmod', 'a-st', '--', '{}', '+'], long)
  await run('chown', ['-hR', '--', 'root:root', staging], long)
  for (const tree of trees.filter(isThere)) {
    await run('chown', ['-hR', '--', `${uid}:${uid}`, tree], long)
  }
}
