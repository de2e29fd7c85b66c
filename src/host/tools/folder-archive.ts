import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import { CommandError, launch, systemPath } from './run.ts'

// Folders as one stream, with owners as numbers, access lists and links: what the machine's own tar
// makes of them.

const environment = { PATH: systemPath, LANG: 'C.UTF-8' }

/** Some of a folder's entries as an archive; what tar could not read is told as sentences. */
export function packFolder(
  folder: string,
  names: readonly string[],
): { content: AsyncIterable<Buffer>; warnings: Promise<string[]> } {
  // What goes away while it is at work is told and left out, as are entries that change.
  const how = ['--acls', '--numeric-owner', '--sparse', '--ignore-failed-read']
  const list = ['--null', '--verbatim-files-from', '--files-from=-']
  const child = launch(['tar', '--create', ...how, '-C', folder, ...list], environment)
  child.stdin.on('error', () => undefined)
  child.stdin.end(names.map(name => `${name}\0`).join(''))
  // 1: something changed while it was read.
  const warnings = ended(child, [0, 1])
  warnings.catch(() => undefined)
  const content = async function* () {
    yield* child.stdout as AsyncIterable<Buffer>
    await warnings
  }
  return { content: content(), warnings }
}

/** Unpacks such an archive into an existing folder. */
export function unpackFolder(folder: string): {
  write: (part: Buffer) => Promise<void>
  end: () => Promise<void>
} {
  const how = ['--acls', '--numeric-owner', '--same-permissions', '--delay-directory-restore']
  const child = launch(['tar', '--extract', ...how, '-C', folder], environment)
  const done = ended(child, [0])
  done.catch(() => undefined)
  // A tar that gives up says why itself.
  child.stdin.on('error', () => undefined)
  child.stdout.resume()
  return {
    async write(part) {
      if (!child.stdin.write(part)) {
        await Promise.race([once(child.stdin, 'drain'), done.then(gaveUp)])
      }
    },
    async end() {
      child.stdin.end()
      await done
    },
  }
}

function gaveUp(): never {
  throw new CommandError('tar', 'ended before its input did')
}

async function ended(child: ReturnType<typeof launch>, accepted: number[]): Promise<string[]> {
  const [[code], said] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stderr),
  ])
  if (code === null || !accepted.includes(code)) {
    throw new CommandError('tar', `ended with ${code}`, code ?? undefined, said)
  }
  return said.split('\n').filter(line => line !== '')
}
