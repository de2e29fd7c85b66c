import { mkdirSync, statfsSync } from 'node:fs'
import { PanelError } from '../../errors.ts'
import type { RestoreRun } from '../../model/account-backups/backup-service.ts'
import { dumpsOf, type Items, type RunResult } from '../../model/account-backups/restores.ts'
import type { BackupWarning } from '../../model/server/backup-warnings.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine } from '../contract.ts'
import { isThere } from '../tools/files.ts'
import {
  type Location,
  repositoryOf,
  rowsFile,
  spoolOf,
  stagingFolder,
  stagingOf,
} from './paths.ts'
import { Node, parseLine, restic } from './restic.ts'
import { runner } from './runner.ts'

// The reading of a restore. The tree of a backup is the customer's, who may have made it to do
// harm: restic writes it as its own user into a folder of its own; then only root may enter, and
// nothing is kept but files, folders and links, which nothing follows.

/** Reads parts of a snapshot: see `BackupService`. */
export async function stage(machine: Machine, run: RestoreRun): Promise<RunResult> {
  const { username, uid, items, snapshot, signal } = run
  const location = restoreOf(run)
  const { end, makeStaging } = machine.part(runner)
  await end(location)
  await emptyStaging(machine, uid)
  const found = await findItems(machine, run, location)
  await requireRoom(machine, run, found)
  mkdirSync(machine.path(stagingFolder), { recursive: true, mode: 0o700 })
  const staging = machine.path(stagingOf(uid))
  await makeStaging(staging)
  const home = machine.path(homeOf(username))
  const tops = items.everything
    ? ['sites', 'files'].map(name => `${home}/${name}`)
    : found.paths.map(path => `${home}/${path}`)
  const dumps = found.dumps.map(name => machine.path(`${spoolOf(uid)}/${name}`))
  const includes = [...tops, ...dumps].flatMap(path => ['--include', escaped(path)])
  const args = ['restore', '--no-lock', '--target', staging, ...includes, '--', snapshot]
  await restic(machine, location, args, { signal, staging })
  await seize(machine, { staging, tree: `${staging}${home}`, uid })
  const { paths, dumps: named, bytes, files, warnings } = found
  return { staged: { paths, dumps: named }, bytes, files, warnings }
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

type FoundItems = RunResult['staged'] & Pick<RunResult, 'bytes' | 'files' | 'warnings'>

async function findItems(
  machine: Machine,
  { username, uid, items, snapshot, signal }: RestoreRun,
  location: Location,
): Promise<FoundItems> {
  const home = `${machine.path(homeOf(username))}/`
  const spool = `${machine.path(spoolOf(uid))}/`
  const chosen = choiceOf(items)
  const required = dumpsOf(items)
  const [paths, dumps] = [new Set<string>(), new Set<string>()]
  let [bytes, files, others] = [0, 0, 0]
  const onLine = (line: string): void => {
    const node = Node.safeParse(parseLine(line)).data
    if (node === undefined) return
    if (node.path.startsWith(spool)) {
      const name = node.path.slice(spool.length)
      // A database has a limit of its own, and not the disk's of the account.
      const isRequired = items.everything ? name !== rowsFile : required.includes(name)
      if (node.type === 'file' && isRequired) dumps.add(name)
      return
    }
    const name = node.path.startsWith(home) ? node.path.slice(home.length) : ''
    const top = chosen(name)
    if (top === undefined) return
    if (top === name) paths.add(top)
    if (node.type === 'file') {
      files += 1
      bytes += node.size ?? 0
    } else if (node.type !== 'dir' && node.type !== 'symlink') others += 1
  }
  const args = ['ls', '--json', '--no-lock', '--', snapshot]
  await restic(machine, location, args, { signal, onLine })
  const missing =
    pathsOf(items).find(path => !paths.has(path)) ?? required.find(name => !dumps.has(name))
  if (missing !== undefined) throw new PanelError('invalid', `The backup does not have ${missing}`)
  const warnings: BackupWarning[] =
    others === 0 ? [] : [{ code: 'special_files_left_out', count: others }]
  return { paths: [...paths], dumps: [...dumps], bytes, files, warnings }
}

const pathsOf = ({ sites, paths }: Items): string[] => {
  const all = [...new Set([...sites.map(name => `sites/${name}`), ...paths])]
  // A folder brings what is in it.
  return all.filter(path => !all.some(other => path.startsWith(`${other}/`)))
}

// Returns a function that finds the moved path that a path of the home belongs to.
function choiceOf(items: Items): (path: string) => string | undefined {
  if (items.everything) return path => /^(?:sites|files)\/[^/]+/.exec(path)?.[0]
  const all = pathsOf(items)
  return path => all.find(one => path === one || path.startsWith(`${one}/`))
}

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
  { staging, tree, uid }: { staging: string; tree: string; uid: number },
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
  if (isThere(tree)) await run('chown', ['-hR', '--', `${uid}:${uid}`, tree], long)
}
