import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts'
import type { PostgresPaths } from './postgres-paths.ts'
import { becoming, type UnixUser } from './postgres-user.ts'
import { PanelError } from '../errors.ts'

// The roles that the user of this process may log in as. No other user can log in at all.
const roles = ['postgres', 'panel_owner', 'panel_api', 'panel_worker', 'panel_courier']

/**
 * Makes the data directory if it does not exist. It is renamed when it is complete, so that an
 * interrupted one is deleted and made again.
 */
export async function ensureCluster(
  { dataDir, librariesDir }: PostgresPaths,
  user: UnixUser | undefined,
  durable: boolean,
): Promise<void> {
  if (await stat(dataDir).catch(() => undefined)) return
  const unfinished = `${dataDir}.new`
  // A killed initdb's children may write for a moment longer.
  await rm(unfinished, { recursive: true, force: true, maxRetries: 10 })
  await ensureOwned(unfinished, user)
  await initialise(unfinished, await postgresBinaries(librariesDir), user, durable)
  await rename(unfinished, dataDir)
  if (durable) await syncFolder(dirname(dataDir))
}

/** Replaces the authentication rules, at every start: peer authentication and nothing else. */
export async function writeAuthentication(
  dataDir: string,
  user: UnixUser | undefined,
): Promise<void> {
  await replaceFile(join(dataDir, 'pg_hba.conf'), renderHba(), user)
  await replaceFile(join(dataDir, 'pg_ident.conf'), renderIdent(userInfo().username), user)
}

/** The first matching line decides. */
export const renderHba = (): string =>
  'local all all peer map=panel\nhost all all all reject\nlocal replication all reject\n'

/** Maps the user of the system to the roles. */
export const renderIdent = (systemUser: string): string =>
  roles.map(role => `panel "${systemUser.replaceAll('"', '""')}" ${role}\n`).join('')

/** Makes a private folder of the user that PostgreSQL runs as. */
export async function ensureOwned(path: string, user: UnixUser | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (user !== undefined) await chown(path, user.uid, user.gid)
}

async function initialise(
  dataDir: string,
  { initdb, environment }: PostgresBinaries,
  user: UnixUser | undefined,
  durable: boolean,
): Promise<void> {
  const command = [
    ...(await becoming(user)),
    ...['--pdeathsig', 'KILL', '--', initdb, `--pgdata=${dataDir}`],
    ...['--username=postgres', '--auth=peer', '--encoding=UTF8', '--locale=C', '--no-instructions'],
    ...(durable ? [] : ['--no-sync']),
  ]
  // A separate process group: Ctrl-C reaches only `panel start`, which decides what to stop.
  const child = spawn('setpriv', command, {
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // The parent-death signal does not reach initdb's children, so the whole group is killed.
  const endGroup = () => process.kill(-child.pid!, 'SIGKILL')
  process.once('exit', endGroup)
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  process.off('exit', endGroup)
  if (code !== 0)
    throw new PanelError('unavailable', `PostgreSQL could not be initialised: ${errors.trim()}`)
}

// The folder may belong to another user, so the file is created again and follows no link.
async function replaceFile(path: string, content: string, user: UnixUser | undefined) {
  const unfinished = `${path}.new`
  await rm(unfinished, { force: true })
  await writeFile(unfinished, content, { flag: 'wx', mode: 0o600 })
  if (user !== undefined) await chown(unfinished, user.uid, user.gid)
  await rename(unfinished, path)
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path)
  await folder.sync()
}
