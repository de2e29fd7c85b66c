import { randomBytes } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { PanelError } from '../../errors.ts'
import type { HostAccount } from '../../model/host-account.ts'
import { hashForMariaDb } from '../../model/database-passwords.ts'
import { uploadsPath } from '../../model/host.ts'
import type { HostDatabase } from '../../model/host-databases.ts'
import type { Machine } from '../contract.ts'
import { launch, systemPath } from '../tools/run.ts'
import * as sql from './statements.ts'

// A dump is a program of somebody else's. It runs as a user of MariaDB's that has rights on that
// database alone and is locked again behind it, in a client that runs nothing and reads no file, as
// the account and without a network.

// Some 10 GB; an operation has to end some time.
const limitMs = 240_000

/** Where a command puts a dump for the worker. */
export const importPlaceOf = (id: string): string => `/var/lib/panel/imports/${id}`

/** Where the API puts what a customer has sent: in a folder of its own user's. */
const uploadPlaceOf = (id: string): string => `${uploadsPath}/${id}`

/**
 * Has a dump carried out, and tells what of it was refused; the file goes. It ends where the signal
 * says so, and why.
 */
export async function importDatabase(
  machine: Machine,
  { uid, limits }: Pick<HostAccount, 'uid' | 'limits'>,
  { database, id, signal }: { database: HostDatabase; id: string; signal: AbortSignal },
): Promise<string[]> {
  const { databases: server } = machine
  const places = [importPlaceOf(id), uploadPlaceOf(id)].map(place => machine.path(place))
  const user = sql.internalUserOf(database)
  const password = randomBytes(24).toString('hex')
  const file = await openDump(places)
  const close = async (): Promise<void> => {
    await server.query(sql.lockUser(user, true))
    await server.query(sql.killUser(user))
  }
  let refused: string[]
  try {
    await server.query(sql.ensureLockedUser(user))
    await server.query(sql.grant(user, database.name, sql.rightsOf.all))
    await server.query(sql.setPassword({ name: user, hash: hashForMariaDb(password) }))
    await server.query(sql.lockUser(user, false))
    const dump = { database: database.name, user, password, file, signal }
    refused = await carryOut(machine, { uid, limits }, dump)
  } catch (error) {
    // Where that fails too, it is locked with all else that is to be put right.
    await close().catch(() => undefined)
    throw error
  } finally {
    await file.close()
    for (const place of places) rmSync(place, { force: true })
  }
  await close()
  return refused
}

// Neither a link nor a device: whose folder it lies in may have put anything there.
async function openDump(places: readonly string[]): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  for (const place of places) {
    const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
    if (file === undefined) continue
    if ((await file.stat()).isFile()) return file
    await file.close()
  }
  throw new PanelError('invalid', 'The dump is gone; send it again')
}

type Dump = {
  database: string
  user: string
  password: string
  file: FileHandle
  signal: AbortSignal
}

async function carryOut(
  machine: Machine,
  { uid, limits }: Pick<HostAccount, 'uid' | 'limits'>,
  { database, user, password, file, signal }: Dump,
): Promise<string[]> {
  const client = [
    ...['mariadb', '--no-defaults', '--sandbox', '--one-database', '--batch', '--force'],
    ...[`--socket=${machine.databases.socket}`, `--user=${user}`, '--', database],
  ]
  const apart = ['unshare', '--net', '--', 'setpriv', `--reuid=${uid}`, `--regid=${uid}`]
  const command = machine.tools.areRequired
    ? [...apart, '--clear-groups', '--no-new-privs', '--pdeathsig', 'KILL', '--', ...client]
    : client
  const environment = { PATH: systemPath, LANG: 'C.UTF-8', MYSQL_PWD: password }
  const child = launch(command as [string, ...string[]], environment)
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said = `${said}${text}`.slice(0, 20_000)))
  child.stdout.resume()
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const late = AbortSignal.timeout(limitMs)
  const until = AbortSignal.any([signal, late])
  const end = (): void => void child.kill('SIGKILL')
  until.addEventListener('abort', end)
  try {
    if (until.aborted) end()
    const unpacking = await unpack(file)
    const dump = file.createReadStream({ start: 0, autoClose: false })
    await pipeline([dump, ...unpacking, limit(limits.diskMb), child.stdin])
    await ended
  } catch (error) {
    end()
    await ended
    if (!until.aborted)
      throw broken(error instanceof PanelError ? error.message : unreadable, error)
  } finally {
    until.removeEventListener('abort', end)
  }
  if (signal.aborted) throw broken(`The import was ended: ${signal.reason}`)
  if (late.aborted) throw broken(`The import was ended after ${limitMs / 60_000} minutes`)
  const refused = said.split('\n').filter(line => line.startsWith('ERROR'))
  // The client ends with 1 where a statement was refused and it went on.
  const code = await ended
  if (code === null || (code !== 0 && refused.length === 0) || refused.some(isLoss)) {
    throw broken(`MariaDB has ended the import: ${said.trim().slice(-200)}`)
  }
  return refused.slice(0, mostTold).map(line => line.slice(0, 200))
}

const mostTold = 20

// Of what came behind it nothing was carried out: the connection was killed, or the server is gone.
const isLoss = (line: string): boolean => /^ERROR (1053|1927|2002|2006|2013|4151) /.test(line)

const unreadable = 'The dump cannot be read to its end'

/** No dump is undone: what of it was carried out stays. */
const broken = (why: string, cause?: unknown): PanelError =>
  new PanelError('invalid', `${why}. The first part of the file has been imported`, { cause })

// By how it begins, whatever it is called.
async function unpack(file: FileHandle): Promise<Transform[]> {
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
  const start = buffer.toString('hex')
  if (start.startsWith('1f8b')) return [createGunzip()]
  return start === '28b52ffd' ? [createZstdDecompress()] : []
}

// A little that becomes much ends here, not when the disk is full.
function limit(diskMb: number): Transform {
  let left = diskMb * 1_048_576
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      left -= chunk.length
      const words = `The dump is larger than the account's disk (${diskMb} MB)`
      if (left < 0) next(new PanelError('invalid', words))
      else next(null, chunk)
    },
  })
}
