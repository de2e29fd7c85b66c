import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../errors.ts'
import type { Machine } from '../host/contract.ts'
import { renderSettings, settingsFile } from '../host/databases/settings.ts'
import { ensureFile, isFolder, listNames, readFile } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import type { InstallStep } from './plan.ts'
import { isOlder, mariadbDropIn } from './units.ts'
import { mariaDb } from '../host/databases/mariadb.ts'

// MariaDB of this machine, for accounts' databases: our settings behind the distribution's, and
// what its unit does besides. Nothing in it is touched.

/** Whether accounts have got databases: the settings are written before anything else is done. */
export const hasDatabases = (): boolean => existsSync(settingsFile)

/** What of MariaDB or MySQL on this machine is somebody else's, and what to do about it. */
export async function whyNoMariaDb(): Promise<string[]> {
  // Who is not root is told so, and can't look; what is ours already was looked at before.
  if (process.getuid?.() !== 0 || hasDatabases()) return []
  const server = '/usr/sbin/mysqld'
  if (existsSync(server) && !/^mariadbd?$/.test(basename(realpathSync(server)))) {
    return ['MySQL is installed here: remove it, or leave out --databases']
  }
  const folder = await dataFolder()
  const others = listNames(folder).filter(name => isOthers(join(folder, name)))
  if (others.length === 0) return []
  const [first, ...rest] = others
  const names = rest.length === 0 ? first : `${first} and ${rest.length} more`
  return [
    `MariaDB here has databases of others (${names}, in ${folder}): move them to another machine, \
or leave out --databases. They were not touched`,
  ]
}

async function dataFolder(): Promise<string> {
  const byDefault = '/var/lib/mysql'
  if (!existsSync('/usr/bin/my_print_defaults')) return byDefault
  const said = await run('my_print_defaults', ['mysqld', 'server', 'mariadbd'])
  return [...said.matchAll(/^--datadir=(.+)$/gm)].at(-1)?.[1] ?? byDefault
}

// Each database is a folder; those of the panel say in their comment that they are its own.
function isOthers(folder: string): boolean {
  const name = basename(folder)
  if (ofMariaDb.test(name)) return false
  return isFolder(folder) && !/^comment=panel \d+$/m.test(readFile(join(folder, 'db.opt')) ?? '')
}

const ofMariaDb = /^(mysql|sys|performance_schema|lost\+found|[#.].*)$/

/** Before MariaDB is there, so that its first start is by them, and a later install knows of it. */
export const databasesStep: InstallStep = {
  name: 'databases',
  does: ({ databases }) =>
    databases
      ? `Write ${settingsFile}, by which MariaDB keeps accounts apart`
      : 'Accounts get no databases: --databases sets MariaDB up for them',
  async act({ databases }) {
    if (!databases || hasDatabases()) return
    await run('mkdir', ['-p', '/etc/mysql/mariadb.conf.d'])
    await ensureFile(settingsFile, desiredSettings(), 0o644)
  },
}

const desiredSettings = (): string => renderSettings(Math.floor(totalmem() / 2 ** 20))

/** Behind the units, as MariaDB lets nobody in before the worker has been over its accounts. */
export const mariadbStep: InstallStep = {
  name: 'mariadb',
  does: ({ databases }) =>
    databases
      ? 'Start MariaDB by its settings, and look whether it answers'
      : 'Leave MariaDB alone, if there is one',
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
      const words = `MariaDB does not start by the settings of this release, and has its old ones \
back: journalctl -u mariadb says why`
      throw new PanelError('unavailable', words, { cause: error })
    }
  },
}

// A recovery after a crash takes its time.
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
      const words = `MariaDB does not let root in by its socket (${machine.part(mariaDb).socket}): \
journalctl -u mariadb says why`
      throw new PanelError('unavailable', words, { cause: why })
    }
    await sleep(200)
  }
}
