import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../errors.ts'
import type { Machine } from '../host/contract.ts'
import { renderSettings, settingsFile } from '../host/mariadb/settings.ts'
import { ensureFile, isFolder, listNames, readFile } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import type { InstallStep } from './plan.ts'
import { isOlder, mariadbDropIn } from './units.ts'
import { mariaDb } from '../host/mariadb/mariadb.ts'

// MariaDB of this machine, for accounts' databases: the panel's settings, read after the
// distribution's, and a drop-in for its unit. The package's own files are not changed.

/** Returns whether accounts can have databases: the settings are written before anything else. */
export const hasDatabases = (): boolean => existsSync(settingsFile)

/** Returns obstacles in this machine's MariaDB or MySQL, with what to do about each. */
export async function whyNoMariaDb(): Promise<string[]> {
  // Only root can check, and a separate check asks for root; our own MariaDB was checked before.
  if (process.getuid?.() !== 0 || hasDatabases()) return []
  const server = '/usr/sbin/mysqld'
  if (existsSync(server) && !/^mariadbd?$/.test(basename(realpathSync(server)))) {
    return ['MySQL is installed on this server: remove it, or omit --databases']
  }
  const folder = await dataFolder()
  const others = listNames(folder).filter(name => isOthers(join(folder, name)))
  if (others.length === 0) return []
  const [first, ...rest] = others
  const names = rest.length === 0 ? first : `${first} and ${rest.length} more`
  return [
    `MariaDB has databases that are not the panel's (${names}, in ${folder}): move them to \
another server, or omit --databases. They were not changed`,
  ]
}

async function dataFolder(): Promise<string> {
  const byDefault = '/var/lib/mysql'
  if (!existsSync('/usr/bin/my_print_defaults')) return byDefault
  const output = await run('my_print_defaults', ['mysqld', 'server', 'mariadbd'])
  return [...output.matchAll(/^--datadir=(.+)$/gm)].at(-1)?.[1] ?? byDefault
}

// Each database is a folder; the panel's databases have a comment that identifies them.
function isOthers(folder: string): boolean {
  const name = basename(folder)
  if (ofMariaDb.test(name)) return false
  return isFolder(folder) && !/^comment=panel \d+$/m.test(readFile(join(folder, 'db.opt')) ?? '')
}

const ofMariaDb = /^(mysql|sys|performance_schema|lost\+found|[#.].*)$/

/**
 * Before MariaDB is installed, so that its first start uses the settings, and a later install finds
 * them.
 */
export const databasesStep: InstallStep = {
  name: 'databases',
  does: ({ databases }) =>
    databases
      ? `Write ${settingsFile}, which isolates accounts from each other in MariaDB`
      : 'Accounts get no databases (--databases sets up MariaDB for them)',
  async act({ databases }) {
    if (!databases || hasDatabases()) return
    await run('mkdir', ['-p', '/etc/mysql/mariadb.conf.d'])
    await ensureFile(settingsFile, desiredSettings(), 0o644)
  },
}

const desiredSettings = (): string => renderSettings(Math.floor(totalmem() / 2 ** 20))

/** After the units, as MariaDB admits no login until the worker has checked its accounts. */
export const mariadbStep: InstallStep = {
  name: 'mariadb',
  does: ({ databases }) =>
    databases
      ? 'Start MariaDB with these settings, and check that it answers'
      : 'Leave MariaDB as it is',
  async act({ databases, machine }) {
    if (!databases) return
    const before = readFileSync(settingsFile, 'utf8')
    await ensureFile(settingsFile, desiredSettings(), 0o644)
    try {
      await ensureRunning(machine)
    } catch (error) {
      if (before === desiredSettings()) throw error
      await ensureFile(settingsFile, before, 0o644)
      await ensureRunning(machine)
      const words = `MariaDB does not start with the settings of this release; its old settings \
are back. For the cause see journalctl -u mariadb`
      throw new PanelError('unavailable', words, { cause: error })
    }
  },
}

// A recovery after a crash takes long.
const startMs = 300_000
const timeoutMs = 30_000

async function ensureRunning(machine: Machine): Promise<void> {
  await run('systemctl', ['enable', '--quiet', '--', 'mariadb.service'])
  const verb = (await isOlder('mariadb', [settingsFile, mariadbDropIn])) ? 'restart' : 'start'
  await run('systemctl', [verb, '--', 'mariadb.service'], { timeoutMs: startMs })
  const end = Date.now() + timeoutMs
  for (;;) {
    const why = await machine
      .part(mariaDb)
      .query('SELECT 1')
      .then(
        () => undefined,
        (error: unknown) => error,
      )
    if (why === undefined) return
    if (Date.now() > end) {
      const words = `Root cannot log in to MariaDB at ${machine.part(mariaDb).socket}: \
for the cause see journalctl -u mariadb`
      throw new PanelError('unavailable', words, { cause: why })
    }
    await sleep(200)
  }
}
