import pRetry from 'p-retry'
import { ensureCluster, writeAuthentication } from './postgres-cluster.ts'
import { ensureDatabase } from './postgres-database.ts'
import { stopOrphan } from './postgres-orphan.ts'
import { embeddedUrl, postgresPaths } from './postgres-paths.ts'
import { launch, type PostgresServer } from './postgres-server.ts'
import { ensureSocketDir, removeShortDir } from './postgres-socket.ts'
import { postgresUser } from './postgres-user.ts'

export type PostgresOptions = {
  /** An existing private folder of the user of this process. */
  stateDir: string
  /** False for data that a test throws away: nothing waits for the disk. */
  durable: boolean
}

/** The address names no user: each client adds its role. */
export type EmbeddedPostgres = PostgresServer & { url: string }

/**
 * Starts the PostgreSQL of a state directory and returns once `panel_owner` can log in to the
 * database `panel`. It listens on a Unix socket only, and ends with the process that started it.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const paths = postgresPaths(options.stateDir)
  const user = await postgresUser(paths.dataDir)
  await ensureCluster(paths, user, options.durable)
  await stopOrphan(paths.dataDir)
  await writeAuthentication(paths.dataDir, user)
  await ensureSocketDir(paths, user)
  // A killed server's remains keep its shared memory for a moment longer.
  const server = await pRetry(() => launch(paths, user, options.durable), {
    retries: 3,
    minTimeout: 200,
    factor: 2,
  })
  try {
    await ensureDatabase(paths.socketDir)
  } catch (error) {
    await server.stop(true)
    throw error
  }
  const stop = async (hurry?: boolean) => {
    await server.stop(hurry)
    await removeShortDir(paths)
  }
  return { ...server, stop, url: embeddedUrl(options.stateDir) }
}
