import { createReadStream, createWriteStream, existsSync, renameSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { Machine } from '../contract.ts'
import { CommandError, launch, systemPath } from '../tools/run.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

// InnoDB tables are dumped as of one moment, others as they are when their turn comes. Broken
// objects of the customer that have no rows of their own are left out and do not stop the rest.
const options = [
  ...['--single-transaction', '--quick', '--routines', '--triggers', '--hex-blob', '--force'],
  '--skip-dump-date',
]

// If it takes longer, the server hangs: that is enough for any disk.
const limitMs = 6 * 3_600_000

/**
 * Streams the dump of a database; the stream fails if the dump is not complete. The signal ends the
 * program that writes it.
 */
export async function* streamDump(
  machine: Machine,
  name: string,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const { socket } = machine.part(mariaDb)
  const { user } = await machine.part(mariaDb).client()
  const args = ['--no-defaults', `--socket=${socket}`, `--user=${user}`, ...options, '--', name]
  const child = launch(['mariadb-dump', ...args], { PATH: systemPath, LANG: 'C.UTF-8' })
  child.stdin.end()
  let output = ''
  child.stderr.on('data', (text: Buffer) => (output = `${output}${text}`.slice(0, 100_000)))
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  const end = (): void => void child.kill('SIGKILL')
  const late = setTimeout(end, limitMs)
  signal?.addEventListener('abort', end)
  let last = ''
  let code: number | null
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      last = `${last}${chunk.subarray(-100)}`.slice(-100)
      yield chunk
    }
    code = await ended
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', end)
    end()
  }
  // It writes the final mark even if a table or its connection was lost.
  const isDone = code === 0 || (code !== null && omitsBroken(output))
  if (isDone && isWhole(last)) return
  throw new CommandError('mariadb-dump', `ended with ${code}`, code ?? undefined, output)
}

// ER_VIEW_INVALID, ER_NO_SUCH_USER of a definer that is gone, ER_VIEW_RECURSIVE; ER_WRONG_MRG_TABLE
// of a table that only joins others, which have all its rows.
const ofBroken = new Set(['1356', '1449', '1462', '1168'])

function omitsBroken(output: string): boolean {
  const errors = output.split('\n').filter(line => /^(mariadb-dump|mysqldump): /.test(line))
  return (
    errors.length > 0 &&
    errors.every(line => {
      const [, inWords, inBrackets] = /error:? ([0-9]{4})\b|\(([0-9]{4})\)/i.exec(line) ?? []
      return ofBroken.has(inWords ?? inBrackets ?? '')
    })
  )
}

const isWhole = (end: string): boolean => /\n-- Dump completed\s*$/.test(end)

/**
 * Writes a database's dump into a folder, unless it is already there. The caller waits up to the
 * timeout; writing continues for a caller that asks again, as a large database takes longer than an
 * operation may.
 */
export async function dumpDatabase(
  machine: Machine,
  { name, folder, timeoutMs }: { name: string; folder: string; timeoutMs: number },
): Promise<void> {
  const path = `${folder}/${name}.sql.zst`
  if (existsSync(path)) return
  const writing = inProgress.get(path) ?? writeDump(machine, name, path)
  inProgress.set(path, writing)
  const forget = (): void => void inProgress.delete(path)
  writing.then(forget, forget)
  const over = new AbortController()
  const late = sleep(Math.max(0, timeoutMs), undefined, { signal: over.signal }).then(
    () => Promise.reject(new Error(`The dump of ${name} is still being written`)),
    () => undefined,
  )
  try {
    await Promise.race([writing, late])
  } finally {
    over.abort()
  }
}

// By target path.
const inProgress = new Map<string, Promise<void>>()

// Reads the written dump back, and only then gives it its name.
async function writeDump(machine: Machine, name: string, path: string): Promise<void> {
  const part = `${path}.part`
  const file = createWriteStream(part, { mode: 0o600 })
  await pipeline(Readable.from(streamDump(machine, name)), createZstdCompress(), file)
  const written = await open(part)
  try {
    await written.sync()
  } finally {
    await written.close()
  }
  let last = ''
  const plain = createReadStream(part).pipe(createZstdDecompress())
  for await (const chunk of plain as AsyncIterable<Buffer>) {
    last = `${last}${chunk.subarray(-100)}`.slice(-100)
  }
  if (!isWhole(last)) throw new Error(`The dump of ${name} is not complete when read back`)
  renameSync(part, path)
}
