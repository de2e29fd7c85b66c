import { PanelError } from '../../errors.ts'
import type { RestoreRun } from '../../model/account-backups/backup-service.ts'
import { dumpsOf, type Items, type RunResult } from '../../model/account-backups/restores.ts'
import type { BackupWarning } from '../../model/server/backup-warnings.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine, Resource } from '../contract.ts'
import { type Location, rowsFile, spoolOf } from './paths.ts'
import { Node, parseLine, restic } from './restic.ts'

// The parts of a snapshot that a restore brings back, by the list of its files.

/** The parts of a backup that a restore brings back. */
export type FoundItems = RunResult['staged'] & Pick<RunResult, 'bytes' | 'files' | 'warnings'>

/**
 * Finds the parts of a snapshot that a restore brings back.
 *
 * @throws {PanelError} `invalid` if it lacks one of them
 */
export async function findItems(
  machine: Machine,
  { username, uid, items, snapshot, signal }: RestoreRun,
  location: Location,
  resource: Resource | undefined,
): Promise<FoundItems> {
  const home = `${machine.path(homeOf(username))}/`
  const spool = `${machine.path(spoolOf(uid))}/`
  const chosen = choiceOf(items)
  const required = dumpsOf(items)
  const parts = await openParts(machine, resource, uid, items)
  const [paths, dumps, mailboxes] = [new Set<string>(), new Set<string>(), new Set<string>()]
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
    const part = parts?.partOf(node.path)
    if (part !== undefined) {
      if (!items.everything && !items.mailboxes.includes(part)) return
      if (node.type === 'dir') mailboxes.add(part)
      else if (node.type === 'file' && !parts!.isPresent(node.path)) {
        files += 1
        bytes += node.size ?? 0
      }
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
    pathsOf(items).find(path => !paths.has(path)) ??
    required.find(name => !dumps.has(name)) ??
    items.mailboxes.find(address => !mailboxes.has(address))
  if (missing !== undefined) throw new PanelError('invalid', `The backup does not have ${missing}`)
  const warnings: BackupWarning[] =
    others === 0 ? [] : [{ code: 'special_files_left_out', count: others }]
  const found = { paths: [...paths], dumps: [...dumps], mailboxes: [...mailboxes] }
  return { ...found, bytes, files, warnings }
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

// Returns the parts that are restored one by one, by paths of a snapshot.
async function openParts(
  machine: Machine,
  resource: Resource | undefined,
  uid: number,
  { everything, mailboxes }: Items,
) {
  const { parts, folderOf } = resource ?? {}
  if (parts === undefined || folderOf === undefined) return undefined
  const folder = `${machine.path(folderOf(uid))}/`
  const isPresent = await parts.openPresent(machine, uid, everything ? 'all' : mailboxes)
  return {
    isPresent,
    partOf: (path: string) =>
      path.startsWith(folder) ? parts.partOf(path.slice(folder.length)) : undefined,
  }
}
