import { type Db, one, run, oneFirst } from '../../db.ts'
import type { ServerLook } from './host.ts'

// How the server is, as root has found it: the process of the pages may not look itself. The worker
// looks each minute, and when it is asked to.

export type Snapshot = {
  taken_at: Date | null
  took_ms: number | null
  content: ServerLook | null
  /** Somebody waits for another one. */
  is_awaited: boolean
  is_old: boolean
}

// A look may take a twentieth of one processor's time, however many accounts it has to look at.
const pauseFactor = 20
// Some turns of a minute each may be missed.
const oldSeconds = 180

/** The last look; it is old where the worker has missed several turns. */
export const readSnapshot = (db: Db) => one<Snapshot>(db)`
  select taken_at, took_ms, content,
    coalesce(asked_at > coalesce(taken_at, '-infinity'), false) as is_awaited,
    coalesce(
      taken_at + ${pauseFactor}::int * took_ms * interval '1 ms' < now() - ${oldSeconds}::int
        * interval '1 s',
      false) as is_old
  from panel.server_snapshot`

/** The port for programs that ask for SFTP; undefined before the first look. */
export async function readSftpPort(db: Db): Promise<number | undefined> {
  const port = await oneFirst<number | null>(db)`
    select (content #>> '{sshPorts,0}')::integer from panel.server_snapshot`
  return port ?? undefined
}

/** The server's addresses, which a process without a network can't see; none before a look. */
export const readAddresses = (db: Db) => oneFirst<string[]>(db)`
  select coalesce(content->'addresses', '[]') from panel.server_snapshot`

/** Has the worker look once more. */
export const askForSnapshot = (db: Db) => run(db)`select panel.ask_for_snapshot()`

/** Whether it is time for the next one, or somebody has asked since the last one began. */
export const isSnapshotDue = (db: Db) => oneFirst<boolean>(db)`
  select taken_at is null or coalesce(asked_at > taken_at, false)
    or taken_at + ${pauseFactor}::int * took_ms * interval '1 ms' < now()
  from panel.server_snapshot`

/** Keeps a look that began so long ago, by the database's clock. */
export const keepSnapshot = (db: Db, look: ServerLook, tookMs: number) => run(db)`
  update panel.server_snapshot
  set taken_at = now() - ${tookMs}::int * interval '1 ms', took_ms = ${tookMs},
    content = ${JSON.stringify(look, withoutOddText)}`

// Tools may have said a zero byte or half a character, which PostgreSQL takes in no jsonb.
const withoutOddText = (_name: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value

/** What rows say of the server beside it. */
export type ServerRows = {
  id: string
  backups: {
    path: string
    bytes: number
    started_at: string
    duration_ms: number
    warnings: number
  }[]
  certificates: { domain: string; username: string; expires_at: string }[]
}

export const readServerRows = (db: Db) => oneFirst<ServerRows>(db)`select panel.show_server()`
