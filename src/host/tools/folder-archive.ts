import { createInterface } from 'node:readline'
import { once } from 'node:events'
import type { BackupWarning } from '../../model/server/backup-warnings.ts'
import { CommandError, launch, systemPath } from './run.ts'
import { listTooDeep, tooLong } from './too-deep.ts'

// Packs and unpacks folders as one stream, with numeric owners, access lists and links, using the
// machine's own tar. The content is the accounts', who may have made it to do harm.

const environment = { PATH: systemPath, LANG: 'C.UTF-8' }

// tar would write each of these with its whole path, and could not unpack it again.
const tooDeep = ['--anchored', '--wildcards', '--wildcards-match-slash', `--exclude=${tooLong}`]

/** Packs some of a folder's entries into an archive; returns warnings about what was left out. */
export function packFolder(
  folder: string,
  names: readonly string[],
): { content: AsyncIterable<Buffer>; warnings: Promise<BackupWarning[]> } {
  // Files that disappear meanwhile are reported and left out, as are entries that change.
  const how = ['--acls', '--numeric-owner', '--sparse', '--ignore-failed-read', ...tooDeep]
  const list = ['--null', '--verbatim-files-from', '--files-from=-']
  const child = launch(['tar', '--create', ...how, '-C', folder, ...list], environment)
  child.stdin.on('error', () => undefined)
  child.stdin.end(names.map(name => `${name}\0`).join(''))
  // 1: something changed while it was read.
  const warnings = ended(child).then(async ({ code, output }) => {
    if (code !== 0 && code !== 1) throw gaveUp(code, output)
    return [...output.first.map(leftOut), ...(await listTooDeep(folder, names, environment))]
  })
  warnings.catch(() => undefined)
  const content = async function* () {
    yield* child.stdout as AsyncIterable<Buffer>
    await warnings
  }
  return { content: content(), warnings }
}

/**
 * Unpacks such an archive into an existing folder. Files that the file system cannot store, such as
 * one that is too large, are left out: one account's files do not keep another's from being
 * restored.
 */
export function unpackFolder(folder: string): {
  write: (part: Buffer) => Promise<void>
  /** Returns warnings about what was left out. */
  end: () => Promise<BackupWarning[]>
} {
  const how = ['--acls', '--numeric-owner', '--same-permissions', '--delay-directory-restore']
  const child = launch(['tar', '--extract', ...how, '-C', folder], environment)
  // 2: something could not be made, and tar continued with the rest.
  const done = ended(child).then(({ code, output }) => {
    if (code === 0) return []
    if (code === 2 && output.fatal === undefined) return output.first.map(leftOut)
    throw gaveUp(code, output)
  })
  done.catch(() => undefined)
  // A tar that gives up reports why itself.
  child.stdin.on('error', () => undefined)
  child.stdout.resume()
  const endedEarly = () => {
    throw new CommandError('tar', 'ended before its input did')
  }
  return {
    async write(part) {
      if (!child.stdin.write(part)) {
        await Promise.race([once(child.stdin, 'drain'), done.then(endedEarly)])
      }
    },
    async end() {
      child.stdin.end()
      return done
    },
  }
}

const leftOut = (detail: string): BackupWarning => ({ code: 'file_left_out', detail })

/** tar's output: enough of it to see what is wrong, and errors that no single file causes. */
type Output = { first: string[]; fatal: string | undefined }

const gaveUp = (code: number | null, { first, fatal }: Output): CommandError => {
  const output = [...first, ...(fatal === undefined ? [] : [fatal])].join('\n')
  return new CommandError('tar', `ended with ${code}`, code ?? undefined, output)
}

async function ended(
  child: ReturnType<typeof launch>,
): Promise<{ code: number | null; output: Output }> {
  const closed = once(child, 'close') as Promise<[number | null]>
  const output = await listen(child.stderr)
  const [code] = await closed
  return { code, output }
}

const linesKept = 20
const charactersKept = 300

// Errors of the disk, of memory, or of the archive itself.
const fatalReasons = [
  'No space left on device',
  'Disk quota exceeded',
  'Read-only file system',
  'Input/output error',
  'Cannot allocate memory',
]
const fatalWords = ['tar: Error is not recoverable: exiting now', 'tar: Unexpected EOF in archive']

// Only at the end of a line: an account chose the text before it.
const isFatal = (line: string): boolean =>
  fatalWords.includes(line) || fatalReasons.some(reason => line.endsWith(`: ${reason}`))

// Ignores a clock that is behind, another file system's times, and tar's final summary.
const isTalk = (line: string): boolean =>
  /: (implausibly old )?time stamp [-\d]+ [\d:.]+( is [\d.]+ s in the future)?$/.test(line) ||
  line === 'tar: Exiting with failure status due to previous errors'

async function listen(stderr: NodeJS.ReadableStream): Promise<Output> {
  const output: Output = { first: [], fatal: undefined }
  // As many lines as an account has files, each as long as a path.
  for await (const line of createInterface({ input: stderr, crlfDelay: Infinity })) {
    if (isFatal(line)) output.fatal ??= shortened(line)
    if (line === '' || isTalk(line)) continue
    if (output.first.length < linesKept) output.first.push(shortened(line))
  }
  return output
}

// The end of the line says what is wrong.
function shortened(line: string): string {
  if (line.length <= charactersKept) return line
  const half = charactersKept / 2
  return `${line.slice(0, half)}…${line.slice(-half)}`
}
