import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { takePidLock } from '../pid-lock.ts'
import type { Config } from '../config.ts'
import { connect, connection, one, oneFirst } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { Machine } from '../host/contract.ts'
import { machineOf } from '../host/machine.ts'
import { webServer } from '../host/accounts/users.ts'
import { highestNumber } from '../host/accounts/user-numbers.ts'
import { requireKnown } from '../migrate.ts'
import type { BackupWarning } from '../model/server/backup-warnings.ts'
import { readArchive, type Visitor } from './archive-reader.ts'
import { type Journal, readJournal, removeJournal, type Step, writeJournal } from './journal.ts'
import type { Description } from './manifest.ts'
import { filesOf, keptFoldersOf } from './kept-folders.ts'
import { listPutAside, movePaths, takeFiles, takeFolders } from './restore-files.ts'
import { type Closed, closeRestored, restoreRows } from './restore-rows.ts'

// Restores a panel from a backup. The backup is read to its end before anything is changed; each
// step may run twice, and a journal records which are done.

export type RestoreOptions = {
  config: Config
  databaseUrl: string
  settingsFile: string | null
  path: string
  passphrase: string
  description: Description
  onBytes: NonNullable<Visitor['onBytes']>
}

export type Restored = Closed & {
  put_aside: string[]
  /** Files of homes and other folders that could not be made on this machine. */
  warnings: BackupWarning[]
}

type Target = Pick<RestoreOptions, 'config' | 'databaseUrl' | 'description'>

/** The state of the server before the restore. */
export type Finding = {
  /** Accounts that would be lost. */
  accounts: number
  /** The finished steps of an interrupted restore of this backup; undefined if there was none. */
  done: Step[] | undefined
  /** Whether this restore replaces an interrupted restore of another backup. */
  isOther: boolean
}

/**
 * Checks whether the backup can be restored on this server at all.
 *
 * @throws {PanelError} `invalid` or `busy`
 */
export async function validate({ config, databaseUrl, description }: Target): Promise<Finding> {
  if (description.host !== config.host) {
    const words = `The backup is from a ${description.host} host, but this is a ${config.host} host`
    throw new PanelError('invalid', words)
  }
  await requireKnown(description.migrations)
  const machine = machineOf(config)
  requireNumbers(machine, description)
  const { accounts, isRunning } = await inspect(databaseUrl)
  if (isRunning) throw new PanelError('busy', 'The panel is running: stop its processes first')
  const journal = readJournal(config.stateDir)
  const isSame = journal?.backup === description.id
  return {
    // Accounts that an interrupted restore added are not lost.
    accounts: isSame ? 0 : accounts,
    done: isSame ? journal?.done : undefined,
    isOther: journal !== undefined && !isSame,
  }
}

/** Keeps the machine's worker from starting while this process runs. */
export function claimMachine(config: Config): void {
  const lock = machineOf(config).path('/var/lib/panel/worker.lock')
  mkdirSync(dirname(lock), { recursive: true })
  const other = takePidLock(lock)
  if (other === undefined) return
  throw new PanelError('busy', `The worker of this machine is running (process ${other})`)
}

/** Restores the backup, or continues an interrupted restore of it. */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { config, databaseUrl, description, path, passphrase, onBytes } = options
  const { stateDir } = config
  const locations = keptFoldersOf(machineOf(config), config, description.accounts)
  const files = filesOf(config, options.settingsFile)
  const found = readJournal(stateDir)
  const journal: Journal =
    found?.backup === description.id ? found : { backup: description.id, done: [], warnings: [] }
  await writeJournal(stateDir, journal)
  const once = async (step: Step, work: () => Promise<unknown>) => {
    if (journal.done.includes(step)) return
    await work()
    journal.done.push(step)
    await writeJournal(stateDir, journal)
  }

  const source = { path, passphrase, onBytes }
  await once('database', () => restoreRows(databaseUrl, description, source))
  const warnings: BackupWarning[] = []
  const openStream = takeFolders(locations, more => void warnings.push(...more))
  const taking = { onBytes, onFile: takeFiles(files), openStream }
  await once('files', async () => {
    // Access lists of homes refer to it.
    await machineOf(config).users.ensureSystemUser(webServer)
    await readArchive(path, passphrase, taking)
    journal.warnings = warnings
  })
  await once('placed', () => movePaths(locations))
  // Not a step of the journal, because the journal is removed right after it.
  const highest = highestNumber(machineOf(config))
  const closed = await closeRestored(databaseUrl, highest)
  await removeJournal(stateDir)
  return { ...closed, put_aside: listPutAside(locations), warnings: journal.warnings }
}

// Files are restored with their numeric owners.
function requireNumbers({ users }: Machine, { accounts }: Description): void {
  for (const { username, uid } of accounts) {
    const [name, number] = [users.nameOf(uid), users.find(username)]
    if (name !== undefined && name !== username) {
      throw new PanelError('invalid', `The number ${uid} of ${username} is ${name}'s here`)
    }
    if (number !== undefined && number !== uid) {
      throw new PanelError('invalid', `This server has a different user named ${username}`)
    }
  }
}

async function inspect(databaseUrl: string): Promise<{ accounts: number; isRunning: boolean }> {
  await using client = await connect(connection(databaseUrl, 'panel_owner'))
  // The lock that each process of any release has (show_process.sql).
  const { isKnown, isRunning } = await one<{ isKnown: boolean; isRunning: boolean }>(client)`
    select to_regclass('panel.accounts') is not null as "isKnown", exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.classid = 7202 and l.objsubid = 2
        and l.database = (select oid from pg_database where datname = current_database())
    ) as "isRunning"`
  if (!isKnown) return { accounts: 0, isRunning }
  const accounts = await oneFirst<number>(client)`
    select count(*)::int from panel.accounts where state <> 'terminated'`
  return { accounts, isRunning }
}
