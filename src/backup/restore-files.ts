import * as fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { KeptFolder } from '../host/kept.ts'
import { hasCode, syncFolder } from '../host/tools/files.ts'
import { unpackFolder } from '../host/tools/folder-archive.ts'
import { run } from '../host/tools/run.ts'
import type { BackupWarning } from '../model/server/backup-warnings.ts'
import type { Visitor } from './archive-reader.ts'
import { entriesOf, type KeptFile, settingsName, streamOfFolder } from './kept-folders.ts'

// Files and folders of a backup are unpacked next to their final paths, where only root has access,
// and then renamed. Earlier content is set aside, never deleted.

/** Writes the small files of a backup as they are read. */
export function takeFiles(files: readonly KeptFile[]): NonNullable<Visitor['onFile']> {
  return async (name, data) => {
    const file = files.find(each => each.name === name)
    if (file === undefined) return
    const content = name === settingsName ? await withOwnPaths(file.path, data) : data
    await putFile(file, content)
  }
}

// Settings with paths on this machine keep their current values.
const ownSettings =
  /^\s*(DATABASE_URL|PANEL_(STATE_DIR|KEY|LICENSE|HOOKS_DIR|LISTEN|SOCKET|ADDRESSES|RESOLVER))=/

async function withOwnPaths(path: string, data: Buffer): Promise<Buffer> {
  const linesOf = (text: string) => text.split('\n').filter(line => line !== '')
  const own = linesOf(await readFile(path, 'utf8')).filter(line => ownSettings.test(line))
  const kept = linesOf(data.toString()).filter(line => !ownSettings.test(line))
  return Buffer.from([...own, ...kept, ''].join('\n'))
}

// An existing file keeps its owner and mode, which the installer of this server chose.
async function putFile({ path, mode }: KeptFile, content: Buffer): Promise<void> {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  const fresh = `${path}.restoring`
  fs.rmSync(fresh, { force: true })
  const file = fs.openSync(fresh, 'wx', 0o600)
  try {
    fs.writeFileSync(file, content)
    if (found !== undefined) fs.fchownSync(file, found.uid, found.gid)
    fs.fchmodSync(file, found === undefined ? mode : found.mode & 0o777)
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
  fs.renameSync(fresh, path)
  await syncFolder(dirname(path))
}

/**
 * Unpacks the folders of a backup next to their final paths, as they are read.
 *
 * @param report receives warnings about what could not be made on this machine
 */
export function takeFolders(
  locations: readonly KeptFolder[],
  report: (warnings: readonly BackupWarning[]) => void,
): NonNullable<Visitor['openStream']> {
  return async name => {
    const location = locations.find(each => streamOfFolder(each) === name)
    if (location === undefined) return undefined
    const aside = asideOf(location)
    // Left by a restore that was killed.
    await remove(aside)
    fs.mkdirSync(dirname(aside), { recursive: true })
    fs.mkdirSync(aside, { mode: 0o700 })
    const { write, end } = unpackFolder(aside)
    return { write, end: async () => report(await end()) }
  }
}

/** Renames the unpacked content to its final path; may run twice. */
export async function movePaths(locations: readonly KeptFolder[]): Promise<void> {
  for (const location of locations) {
    const { folder, entries } = location
    const aside = asideOf(location)
    if (!fs.existsSync(aside)) continue
    if (entries === 'all') await swap(aside, folder, `${folder}.before-restore`)
    else {
      const before = join(folder, '.before-restore')
      fs.mkdirSync(before, { recursive: true, mode: 0o700 })
      for (const name of entriesOf({ ...location, folder: aside })) {
        await swap(join(aside, name), join(folder, name), join(before, name))
      }
      fs.rmdirSync(aside)
      removeIfEmpty(before)
    }
    await syncFolder(dirname(folder))
  }
}

/** Returns the earlier content that was set aside for the administrator. */
export const listPutAside = (locations: readonly KeptFolder[]): string[] =>
  locations
    .map(({ folder, entries }) =>
      entries === 'all' ? `${folder}.before-restore` : join(folder, '.before-restore'),
    )
    .filter(path => fs.existsSync(path))

// On the file system of the folder, so that a rename is enough.
const asideOf = ({ folder, entries }: KeptFolder): string =>
  entries === 'all'
    ? join(dirname(folder), `.${basename(folder)}.restoring`)
    : join(folder, '.restoring')

async function swap(fresh: string, path: string, before: string): Promise<void> {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined && !removeIfEmpty(path)) {
    // Set aside by an earlier restore; only the latest content is kept.
    await remove(before)
    fs.renameSync(path, before)
  }
  fs.renameSync(fresh, path)
}

function removeIfEmpty(path: string): boolean {
  try {
    fs.rmdirSync(path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'ENOTDIR', 'EEXIST')) return false
    throw error
  }
}

// Enough for a home of any size. It is below a folder that only root may enter.
const removeLimitMs = 3_600_000

async function remove(path: string): Promise<void> {
  await run('rm', ['-rf', '--one-file-system', '--', path], { timeoutMs: removeLimitMs })
}
