import pg from 'pg'
import { openPool } from '../../src/db.ts'
import { migrate } from '../../src/migrate.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { ensureDatabase } from '../../src/start/postgres-database.ts'
import { startPostgres } from '../../src/start/embedded-postgres.ts'

/** A throw-away server for all files of a run. */
export type TestPostgres = {
  /** The variables by which the files find it. */
  environment: { PANEL_TEST_POSTGRES: string; PANEL_TEST_TOKEN: string }
  stop: () => Promise<void>
}

/**
 * Starts a PostgreSQL with two templates: `panel`, migrated and empty, and `panel_owned`, which has
 * the administrator and the token that `panel start` makes.
 */
export async function startTestPostgres(stateDir: string): Promise<TestPostgres> {
  const { url, stop } = await openServer(stateDir)
  try {
    await migrate(url)
    const client = new pg.Client({ connectionString: asOperator(url) })
    await client.connect()
    await client.query('create database panel_owned template panel')
    await client.end()
    const owned = new URL(url)
    owned.pathname = '/panel_owned'
    const token = await makeAdministrator(owned.href)
    return { environment: { PANEL_TEST_POSTGRES: url, PANEL_TEST_TOKEN: token }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

// The embedded one, or one that was started before the tests: the folder of its socket.
async function openServer(stateDir: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = process.env['PANEL_TEST_SERVER']
  if (!folder) return startPostgres({ stateDir, durable: false })
  await ensureDatabase(folder)
  const url = `postgresql://${encodeURIComponent(folder)}:5432/panel?sslmode=disable`
  return { url, stop: () => Promise.resolve() }
}

async function makeAdministrator(databaseUrl: string): Promise<string> {
  const owner = openPool(databaseUrl, 'panel_owner', 1)
  await addOperator(owner, {
    name: 'admin',
    role: 'administrator',
    email: 'admin@example.com',
    password: 'a password of the test',
  })
  const { token } = await createToken(owner, { owner: 'admin', name: 'test' })
  await owner.end()
  return token
}

function asOperator(url: string): string {
  const address = new URL(url)
  address.pathname = '/postgres'
  address.username = 'postgres'
  return address.href
}
