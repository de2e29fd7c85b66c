import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Test } from 'tap'

const { PANEL_TEST_POSTGRES: given, PANEL_TEST_TOKEN: givenToken } = process.env
if (given === undefined || givenToken === undefined)
  throw new Error('Run the tests by `npm test`, with or without file names')
const server = given

/** The administrator's token, in every database copied from `panel_owned`. */
export const token = givenToken

/** The address of a database of the test server, for the given role or a superuser. */
export function address(database: string, user?: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  if (user !== undefined) url.username = user
  return url.href
}

/**
 * A database of the test's own, copied from the migrated template unless from another, and dropped
 * after it.
 */
export async function database(
  t: Test,
  template: 'panel' | 'panel_owned' | 'template1' = 'panel',
): Promise<{ url: string; pool: pg.Pool }> {
  const name = `panel_test_${randomBytes(6).toString('hex')}`
  // Copies files, because copying pages through the log takes twice the time.
  await administer(
    `create database ${name} template ${template} owner panel_owner strategy file_copy`,
  )
  const pool = new pg.Pool({ connectionString: address(name, 'postgres'), max: 4 })
  // Dropping the database ends the connections that a stopped worker left.
  pool.on('error', () => undefined)
  t.teardown(async () => {
    await pool.end()
    await administer(`drop database ${name} with (force)`)
  })
  return { url: address(name), pool }
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: address('postgres', 'postgres') })
  await client.connect()
  try {
    // Another test may be copying the same template.
    await client.query(statement)
  } finally {
    await client.end()
  }
}
