import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type pg from 'pg'
import { takePidLock } from '../pid-lock.ts'
import { type Config, version } from '../config.ts'
import { all, connect, connection, one } from '../db.ts'
import { PanelError } from '../errors.ts'
import { syncFolder } from '../host/tools/files.ts'
import { packFolder } from '../host/tools/folder-archive.ts'
import { machineOf } from '../host/machine.ts'
import type { BackupWarning } from '../model/server/backup-warnings.ts'
import type { Backup } from '../model/server/backups.ts'
import { type ArchiveWriter, openArchive } from './archive-writer.ts'
import { readArchive } from './archive-reader.ts'
import { listLeftOut } from './database-contents.ts'
import { type Description, descriptionName } from './manifest.ts'
import { entriesOf, filesOf, keptFoldersOf, streamOfFolder } from './kept-folders.ts'
import { listSequences, listTables, readRows, rowsName, sequencesName, tablesName } from './rows.ts'
import { prepareSealed } from './sealed.ts'

export type BackupOptions = {
  config: Config
  databaseUrl: string
  settingsFile: string | null
  /** Must not exist yet. */
  path: string
  passphrase: string
  /** Bytes written, then bytes read back. */
  onWritten: (bytes: number) => void
  onRead: (bytes: number) => void
}

/**
 * Writes a backup, reads it back, and only then gives it its name, so that a file with that name
 * can always be restored.
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { path, passphrase } = options
  const startedAt = new Date()
  if (existsSync(path)) throw new PanelError('invalid', `${path} exists already`)
  const { stateDir } = options.config
  const other = takePidLock(join(stateDir, 'backup.lock'))
  if (other !== undefined)
    throw new PanelError('busy', `Process ${other} is already writing a backup`)
  // Always the same name, so that a backup replaces the remains of a killed one.
  const owner = createHash('sha256').update(stateDir).digest('hex').slice(0, 12)
  const unfinished = join(dirname(path), `.panel-${owner}.age.new`)
  await rm(unfinished, { force: true })
  try {
    const archive = openArchive()
    const { content } = archive
    const write = await prepareSealed(unfinished, passphrase, content, options.onWritten)
    const writing = fill(archive, options).catch((error: Error) => {
      archive.abandon(error)
      throw error
    })
    const [{ id, warnings }] = await Promise.all([writing, write()])
    await readArchive(unfinished, passphrase, { onBytes: options.onRead })
    const { size: bytes } = await stat(unfinished)
    await rename(unfinished, path)
    await syncFolder(dirname(path))
    const duration_ms = Date.now() - startedAt.getTime()
    return { id, path, bytes, started_at: startedAt, duration_ms, release: version, warnings }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

async function fill(archive: ArchiveWriter, options: BackupOptions) {
  await using client = await connect(connection(options.databaseUrl, 'panel_owner'))
  // All rows are as of one moment; files are read later, in their state at that time.
  await client.query('begin isolation level repeatable read read only')
  const description = await describe(client, options.config)
  await archive.addFile(descriptionName, toJson(description))
  for (const { name, path } of filesOf(options.config, options.settingsFile)) {
    if (existsSync(path)) await archive.addFile(name, await readFile(path))
  }
  await addRows(archive, client)
  const left = await listLeftOut(client)
  await client.query('commit')
  const warnings = [...left, ...(await addFolders(archive, options.config, description))]
  await archive.finish()
  return { id: description.id, warnings }
}

async function describe(client: pg.Client, config: Config): Promise<Description> {
  const { id, accounts } = await one<Pick<Description, 'id' | 'accounts'>>(client)`
    select s.id,
      coalesce((
        select jsonb_agg(jsonb_build_object('username', a.username, 'uid', a.uid) order by a.uid)
        from panel.accounts a where a.state in ('active', 'suspended')), '[]') as accounts
    from panel.server s`
  const migrations = await all<Description['migrations'][number]>(client)`
    select name, sha256 from panel.migrations order by name`
  return {
    format: 1,
    id: randomUUID(),
    created_at: new Date().toISOString(),
    release: version,
    server_id: id,
    server: config.serverName,
    host: config.host,
    migrations,
    accounts,
  }
}

async function addRows(archive: ArchiveWriter, client: pg.Client): Promise<void> {
  const tables = await listTables(client)
  await archive.addFile(tablesName, toJson(tables))
  for (const table of tables) {
    await archive.addStream(rowsName(table), readRows(client, table))
  }
  await archive.addFile(sequencesName, toJson(await listSequences(client)))
}

async function addFolders(
  archive: ArchiveWriter,
  config: Config,
  { accounts }: Description,
): Promise<BackupWarning[]> {
  const machine = machineOf(config)
  const warnings: BackupWarning[] = []
  for (const location of keptFoldersOf(machine, config, accounts)) {
    const entries = entriesOf(location)
    if (entries.length === 0) continue
    const packed = packFolder(location.folder, entries)
    await archive.addStream(streamOfFolder(location), packed.content)
    warnings.push(...(await packed.warnings))
  }
  return warnings
}

const toJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
