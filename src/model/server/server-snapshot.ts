import { type Db, one, run, oneFirst } from '../../db.ts'
import type { InstalledPhp, ServerSnapshot } from './host.ts'

// The state of the server, found by root, because the process of the pages may not examine it. The
// worker takes a snapshot each minute, and on request.

export type Snapshot = {
  taken_at: Date | null
  took_ms: number | null
  content: ServerSnapshot | null
  /** Whether a newer snapshot was requested. */
  is_awaited: boolean
  is_old: boolean
}

// A snapshot may take a twentieth of one processor's time, however many accounts there are.
const pauseFactor = 20
// A few turns of a minute each may be missed.
const oldSeconds = 180

/** Returns the last snapshot; it is old if the worker has missed several turns. */
export const readSnapshot = (db: Db) => one<Snapshot>(db)`
  select taken_at, took_ms, content,
    coalesce(asked_at > coalesce(taken_at, '-infinity'), false) as is_awaited,
    coalesce(
      taken_at + ${pauseFactor}::int * took_ms * interval '1 ms' < now() - ${oldSeconds}::int
        * interval '1 s',
      false) as is_old
  from panel.server_snapshot`

/** A public key of sshd: its type, and its fingerprint as SFTP programs show it. */
export type HostKey = ServerSnapshot['hostKeys'][number]

/** The settings of an SFTP program; the port is null before the first snapshot. */
export type SftpServer = { port: number | null; hostKeys: HostKey[] }

/** Returns the port for SFTP clients, and the keys by which they know the server. */
export const readSftpServer = (db: Db) => one<SftpServer>(db)`
  select (content #>> '{sshPorts,0}')::integer as port,
    coalesce(content->'hostKeys', '[]') as "hostKeys"
  from panel.server_snapshot`

/**
 * Returns the server's addresses, which a process without a network cannot see; none before the
 * first snapshot.
 */
export const readAddresses = (db: Db) => oneFirst<string[]>(db)`
  select coalesce(content->'addresses', '[]') from panel.server_snapshot`

/** Returns the versions of PHP that a website can choose; none before the first snapshot. */
export const readInstalledPhp = (db: Db) => oneFirst<InstalledPhp>(db)`
  select coalesce(content->'php', '{"byDefault": null, "versions": []}')
  from panel.server_snapshot`

/** Requests a new snapshot from the worker. */
export const askForSnapshot = (db: Db) => run(db)`select panel.ask_for_snapshot()`

/** Returns whether the next snapshot is due, or one was requested since the last one began. */
export const isSnapshotDue = (db: Db) => oneFirst<boolean>(db)`
  select taken_at is null or coalesce(asked_at > taken_at, false)
    or taken_at + ${pauseFactor}::int * took_ms * interval '1 ms' < now()
  from panel.server_snapshot`

/** Stores a snapshot with its duration, by the database's clock. */
export const keepSnapshot = (db: Db, content: ServerSnapshot, tookMs: number) => run(db)`
  update panel.server_snapshot
  set taken_at = now() - ${tookMs}::int * interval '1 ms', took_ms = ${tookMs},
    content = ${JSON.stringify(content, withoutOddText)}`

// Replaces zero bytes and lone surrogates in the output of tools, which PostgreSQL refuses in
// jsonb.
const withoutOddText = (_name: string, value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value

/** The state of the server that rows show, in addition to the snapshot. */
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
