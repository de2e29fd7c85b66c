import type { FileHandle } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { PanelError } from '../../errors.ts'
import { isForeign, noDump } from '../../model/databases/dumps.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Machine } from '../contract.ts'
import { ownDump } from './own-dump.ts'
import { launch, systemPath } from '../tools/run.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

// MariaDB's client, importing a dump: it starts no programs, reads no files and has no network.

// Enough for some 10 GB; an operation has to end some time.
const limitMs = 240_000

type Dump = {
  database: string
  user: string
  password: string
  file: FileHandle
  signal: AbortSignal
}

/** Has a client execute a dump to its end, and returns what MariaDB refused of it. */
export async function execute(
  machine: Machine,
  { uid, limits }: Pick<HostAccount, 'uid' | 'limits'>,
  { database, user, password, file, signal }: Dump,
): Promise<string[]> {
  const client = [
    ...['mariadb', '--no-defaults', '--sandbox', '--one-database', '--batch', '--force'],
    ...[`--socket=${machine.part(mariaDb).socket}`, `--user=${user}`, '--', database],
  ]
  const own = uid + clientUidOffset
  const apart = ['unshare', '--net', '--', 'setpriv', `--reuid=${own}`, `--regid=${own}`]
  const command = machine.tools.areRequired
    ? [...apart, '--clear-groups', '--no-new-privs', '--pdeathsig', 'KILL', '--', ...client]
    : client
  const environment = { PATH: systemPath, LANG: 'C.UTF-8', MYSQL_PWD: password }
  const child = launch(command as [string, ...string[]], environment)
  let output = ''
  let last = ''
  child.stderr.on('data', (text: Buffer) => {
    output = `${output}${text}`.slice(0, 20_000)
    last = `${last}${text}`.slice(-1_000)
  })
  child.stdout.resume()
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const late = AbortSignal.timeout(limitMs)
  const until = AbortSignal.any([signal, late])
  const end = (): void => void child.kill('SIGKILL')
  let [hasBegun, isUnread] = [false, false]
  const { stream, reported } = ownDump(database)
  until.addEventListener('abort', end)
  try {
    if (until.aborted) end()
    const unpacking = await unpack(file)
    const dump = file.createReadStream({ start: 0, autoClose: false })
    const validator = validating(limits.diskMb, () => (hasBegun = true))
    await pipeline([dump, ...unpacking, validator, stream, child.stdin])
    await ended
  } catch (error) {
    // A client that has ended reads no more; its reason is read below.
    isUnread = isOfClient(error)
    if (!isUnread) end()
    await ended
    if (!until.aborted && !isUnread) {
      const why = error instanceof PanelError ? error.message : unreadable
      throw hasBegun ? broken(why, error) : new PanelError('invalid', why, { cause: error })
    }
  } finally {
    until.removeEventListener('abort', end)
  }
  if (signal.aborted) throw broken(`The import was stopped: ${signal.reason}`)
  if (late.aborted) throw broken(`The import was stopped after ${limitMs / 60_000} minutes`)
  const code = await ended
  const whyNot = notBegun.exec(output)?.[0]
  if (whyNot !== undefined) {
    const words = `The import could not start on this server: ${whyNot.slice(0, 200)}`
    throw new PanelError('unavailable', `${words}. Nothing was imported`)
  }
  if (code === null) throw broken('The import was stopped: its client was killed')
  const refused = output.split('\n').filter(line => line.startsWith('ERROR'))
  // The client exits with 1 if a statement was refused and it continued.
  if ((code !== 0 && refused.length === 0) || last.split('\n').some(isConnectionLoss)) {
    throw broken(`MariaDB stopped the import: ${last.trim().slice(-200)}`)
  }
  if (isUnread) throw broken('The client stopped before the end of the dump')
  return [...reported(), ...refused].slice(0, maxReported).map(line => line.slice(0, 200))
}

const maxReported = 20

// Added to an account's number for its client's, which nothing else uses: processes of the account
// could otherwise read the password in the client's environment.
const clientUidOffset = 2_000_000_000

// An error of the pipe, not of the file or of the decompressor: the client reads no more.
const isOfClient = (error: unknown): boolean =>
  error instanceof Error && /^(EPIPE|ECONNRESET|ERR_STREAM_\w+)$/.test(codeOf(error))

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

// Matches the first output if no statement was executed: from the programs that isolate the client,
// from a client that does not start, or if MariaDB refuses the login. Output about a statement
// names its line.
const notBegun = /^((unshare|setpriv|mariadb): |ERROR [0-9]+ \(\w+\): ).*/

// Nothing after this line was executed: the connection was killed, or the server is gone.
const isConnectionLoss = (line: string): boolean =>
  /^ERROR (1053|1927|2002|2006|2013|4151) /.test(line)

const unreadable = 'The dump cannot be read completely'

/** No dump is undone: statements that were executed stay. */
const broken = (why: string, cause?: unknown): PanelError =>
  new PanelError('invalid', `${why}. The first part of the file has been imported`, { cause })

// Detects compression by the first bytes, whatever the file's name.
async function unpack(file: FileHandle): Promise<Transform[]> {
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
  const start = buffer.toString('hex')
  if (start.startsWith('1f8b')) return [createGunzip()]
  return start === '28b52ffd' ? [createZstdDecompress()] : []
}

// Stops data that is not SQL, and a small file that expands to a huge one, before the disk is full.
function validating(diskMb: number, onBegun: () => void): Transform {
  const maxBytes = diskMb * 1_048_576
  let taken = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      if (taken === 0 && isForeign(chunk)) return next(noDump())
      taken += chunk.length
      const words = `The dump is larger than the account's disk (${diskMb} MB)`
      if (taken > maxBytes) return next(new PanelError('invalid', words))
      onBegun()
      next(null, chunk)
    },
    flush: next => next(taken === 0 ? noDump() : null),
  })
}
