import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { extract, type Entry, type Headers } from 'tar-stream'
import { PanelError } from '../../errors.ts'
import { systemPath, launch, run } from '../../host/tools/run.ts'
import { renameIfThere, syncFolder } from '../../host/tools/files.ts'
import type { Manifest } from '../manifest.ts'
import { readRelease, unfinished } from '../release.ts'

/**
 * Unpacks a release next to the others; it appears as a whole or not at all. Each name is validated
 * before it is written, and links are made last: nothing is ever written through one.
 *
 * @throws {PanelError} `invalid`
 */
export async function unpack(
  archive: string,
  releases: string,
  manifest: Pick<Manifest, 'version' | 'architecture'>,
): Promise<void> {
  const location = join(releases, manifest.version)
  const fresh = join(releases, unfinished(manifest.version))
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o755 })
  try {
    await unpackInto(archive, fresh, `panel-${manifest.version}`)
    const found = readRelease(fresh)
    if (found?.version !== manifest.version || found.architecture !== manifest.architecture) {
      throw new PanelError('invalid', 'The archive contains a different release than its manifest')
    }
    await run('sync', ['--file-system', fresh], { timeoutMs: 300_000 })
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
  // Left by an earlier update that was undone.
  if (existsSync(location)) rmSync(location, { recursive: true })
  renameIfThere(fresh, location)
  await syncFolder(releases)
}

async function unpackInto(archive: string, folder: string, top: string): Promise<void> {
  const links: { path: string; target: string }[] = []
  const child = launch(['xz', '--decompress', '--stdout', '--', archive], { PATH: systemPath })
  let notStarted: Error | undefined
  child.once('error', error => (notStarted = error))
  const ended = new Promise<number | null>(resolve => {
    child.once('error', () => resolve(null)).once('close', resolve)
  })
  const entries = extract()
  const reading = pipeline(child.stdout, entries).catch((error: unknown) => error)
  try {
    for await (const entry of entries) {
      const name = validateName(entry.header, top)
      await write(entry, join(folder, name), name, links)
    }
    const broken = await reading
    const code = await ended
    if (code === null)
      throw new PanelError('unavailable', 'xz was killed, perhaps because memory ran out')
    if (broken !== undefined || code !== 0) throw new Error('xz')
    // All folders before any link: none is made where a link leads.
    for (const { path } of links) mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    for (const { path, target } of links) symlinkSync(target, path)
  } catch (error) {
    child.kill('SIGKILL')
    if (notStarted !== undefined) {
      const words = `xz does not start (${notStarted.message}): run apt-get install xz-utils`
      throw new PanelError('unavailable', words, { cause: notStarted })
    }
    if (error instanceof PanelError || isOfDisk(error)) throw error
    throw new PanelError('invalid', 'The archive is damaged: download it again', { cause: error })
  }
}

const isOfDisk = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(String((error as { code?: unknown }).code))

async function write(
  entry: Entry,
  path: string,
  name: string,
  links: { path: string; target: string }[],
): Promise<void> {
  const { type, mode = 0, linkname } = entry.header
  if (type === 'directory') {
    mkdirSync(path, { recursive: true, mode: 0o755 })
    entry.resume()
  } else if (type === 'symlink') {
    links.push({ path, target: validateTarget(name, linkname ?? '') })
    entry.resume()
  } else if (type === 'file') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    const file = await open(path, 'wx', 0o600)
    await pipeline(entry, file.createWriteStream())
    chmodSync(path, (mode & 0o111) === 0 ? 0o644 : 0o755)
  } else {
    throw invalid(`${name} is a ${type}`)
  }
}

function validateName({ name }: Headers, top: string): string {
  const path = name.replace(/\/$/, '')
  const isInside = path === top || path.startsWith(`${top}/`)
  if (!isInside || normalize(path) !== path || /\p{Cc}/u.test(path))
    throw invalid(`it names ${name}`)
  return path.slice(top.length + 1)
}

// `..` is allowed only at the beginning, so that names alone determine the target, whatever other
// links there are.
function validateTarget(name: string, target: string): string {
  const parts = target.split('/')
  const down = parts.slice(parts.findIndex(part => part !== '..'))
  const isPlain = down.every(part => !['', '.', '..'].includes(part))
  if (!isPlain || normalize(join(dirname(name), target)).startsWith('../')) {
    throw invalid(`${name} leads to ${target}`)
  }
  return target
}

const invalid = (what: string): PanelError =>
  new PanelError('invalid', `The archive is not a release: ${what}`)
