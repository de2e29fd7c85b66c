import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { CommandError, launch, systemPath } from './run.ts'
import { listTooDeep, tooLong } from './too-deep.ts'

// Folders as one stream, with owners as numbers, access lists and links: what the machine's own tar
// makes of them. What lies in them is their owners', who may have made it to do harm.

const environment = { PATH: systemPath, LANG: 'C.UTF-8' }

// They would be written with their whole path each, and not be unpacked again.
const tooDeep = ['--anchored', '--wildcards', '--wildcards-match-slash', `--exclude=${tooLong}`]

/** Some of a folder's entries as an archive; what is not in it is told as sentences. */
export function packFolder(
  folder: string,
  names: readonly string[],
): { content: AsyncIterable<Buffer>; warnings: Promise<string[]> } {
  // What goes away while it is at work is told and left out, as are entries that change.
  const how = ['--acls', '--numeric-owner', '--sparse', '--ignore-failed-read', ...tooDeep]
  const list = ['--null', '--verbatim-files-from', '--files-from=-']
  const child = launch(['tar', '--create', ...how, '-C', folder, ...list], environment)
  child.stdin.on('error', () => undefined)
  child.stdin.end(names.map(name => `${name}\0`).join(''))
  // 1: something changed while it was read.
  const warnings = ended(child).then(async ({ code, said }) => {
    if (code !== 0 && code !== 1) throw gaveUp(code, said)
    return [...said.first, ...(await listTooDeep(folder, names, environment))]
  })
  warnings.catch(() => undefined)
  const content = async function* () {
    yield* child.stdout as AsyncIterable<Buffer>
    await warnings
  }
  return { content: content(), warnings }
}

/**
 * Unpacks such an archive into an existing folder. What its file system does not take, as a file
 * that is larger than it knows, is left out: one account's files keep no other's from coming back.
 */
export function unpackFolder(folder: string): {
  write: (part: Buffer) => Promise<void>
  /** Tells what was left out, as sentences. */
  end: () => Promise<string[]>
} {
  const how = ['--acls', '--numeric-owner', '--same-permissions', '--delay-directory-restore']
  const child = launch(['tar', '--extract', ...how, '-C', folder], environment)
  // 2: something could not be made, and tar went on with the rest.
  const done = ended(child).then(({ code, said }) => {
    if (code === 0) return []
    if (code === 2 && said.fatal === undefined) return said.first
    throw gaveUp(code, said)
  })
  done.catch(() => undefined)
  // A tar that gives up says why itself.
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

/** What tar has said: enough of it to see what is wrong, and what no file is to blame for. */
type Output = { first: string[]; fatal: string | undefined }

const gaveUp = (code: number | null, { first, fatal }: Output): CommandError => {
  const said = [...first, ...(fatal === undefined ? [] : [fatal])].join('\n')
  return new CommandError('tar', `ended with ${code}`, code ?? undefined, said)
}

async function ended(
  child: ReturnType<typeof launch>,
): Promise<{ code: number | null; said: Output }> {
  const closed = once(child, 'close') as Promise<[number | null]>
  const said = await listen(child.stderr)
  const [code] = await closed
  return { code, said }
}

const linesKept = 20
const charactersKept = 300

// Of the disk, of memory, or of the archive itself.
const fatalReasons = [
  'No space left on device',
  'Disk quota exceeded',
  'Read-only file system',
  'Input/output error',
  'Cannot allocate memory',
]
const fatalWords = ['tar: Error is not recoverable: exiting now', 'tar: Unexpected EOF in archive']

// At the end of a line only: what is before it an account has named.
const isFatal = (line: string): boolean =>
  fatalWords.includes(line) || fatalReasons.some(reason => line.endsWith(`: ${reason}`))

// A clock that is behind or another file system's times, and what tar says at its end.
const isTalk = (line: string): boolean =>
  /: (implausibly old )?time stamp [-\d]+ [\d:.]+( is [\d.]+ s in the future)?$/.test(line) ||
  line === 'tar: Exiting with failure status due to previous errors'

async function listen(stderr: NodeJS.ReadableStream): Promise<Output> {
  const said: Output = { first: [], fatal: undefined }
  // As many lines as an account has files, each as long as a path.
  for await (const line of createInterface({ input: stderr, crlfDelay: Infinity })) {
    if (isFatal(line)) said.fatal ??= shortened(line)
    if (line === '' || isTalk(line)) continue
    if (said.first.length < linesKept) said.first.push(shortened(line))
  }
  return said
}

// The end says what is wrong.
function shortened(line: string): string {
  if (line.length <= charactersKept) return line
  const half = charactersKept / 2
  return `${line.slice(0, half)}…${line.slice(-half)}`
}
