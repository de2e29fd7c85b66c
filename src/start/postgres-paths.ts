import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'

// The paths of the embedded PostgreSQL follow from the state directory alone, so that any command
// finds the database of a panel that another process runs.

// sun_path of unix(7) holds 108 bytes with the closing zero.
const maxSocketBytes = 107
const socketName = '.s.PGSQL.5432'

export type PostgresPaths = {
  dataDir: string
  logFile: string
  /** Links to the server's libraries, where its package lacks them. */
  librariesDir: string
  socketDir: string
  /** The closed folder around `socketDir` if the state directory's own path is too long. */
  shortDir: string | undefined
}

/** The paths below an existing state directory. */
export function postgresPaths(stateDir: string): PostgresPaths {
  const real = realpathSync(stateDir)
  const near = join(real, 'socket')
  const fits = Buffer.byteLength(join(near, socketName)) <= maxSocketBytes
  const shortDir = fits
    ? undefined
    : `/tmp/panel-${createHash('sha256').update(real).digest('hex').slice(0, 16)}`
  return {
    dataDir: join(real, 'postgres'),
    logFile: join(real, 'log', 'postgres.log'),
    librariesDir: join(real, 'postgres-lib'),
    socketDir: shortDir === undefined ? near : join(shortDir, 'socket'),
    shortDir,
  }
}

/** Returns the address of the embedded database, without a user: each process adds its own role. */
export function embeddedUrl(stateDir: string): string {
  // All settings are given, because missing ones would be taken from PGPORT and the like.
  const socketDir = encodeURIComponent(postgresPaths(stateDir).socketDir)
  return `postgresql://${socketDir}:5432/panel?sslmode=disable`
}
