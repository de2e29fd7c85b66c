import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { openPool } from '../../src/db.ts'
import { migrate } from '../../src/migrate.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { createToken, type Permission } from '../../src/model/signing-in/tokens.ts'
import { start, type Program } from './processes.ts'
import type { Bench } from './row.ts'

/** The panel's own processes on a database of their own, with tokens and accounts to call with. */
export type Panel = AsyncDisposable & {
  databaseUrl: string
  api: Program
  worker: Program
  tokens: string[]
  accounts: string[]
}

/** Makes a database of that name, owned by `panel_owner`; returns its address. */
export async function makeDatabase({ postgresUrl }: Bench, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: as('postgres', postgresUrl) })
  await client.connect()
  await client.query(`create database ${name} owner panel_owner`)
  await client.end()
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}

/** The same address with a user in it. */
export function as(user: string, address: string): string {
  const url = new URL(address)
  url.username = user
  return url.href
}

export async function openPanel(
  bench: Bench,
  name: string,
  needed: { tokens: number; accounts: number },
): Promise<Panel> {
  const databaseUrl = await makeDatabase(bench, name)
  await migrate(databaseUrl)
  const tokens = await makeTokens(databaseUrl, needed.tokens)
  const env = {
    DATABASE_URL: databaseUrl,
    // Its license is the one that `panel start` has on loopback.
    PANEL_DEVELOPMENT: 'yes',
    PANEL_LISTEN: '127.0.0.1:0',
    PANEL_STATE_DIR: join(bench.memory, name),
  }
  await using running = new AsyncDisposableStack()
  const worker = running.use(await start('bin/panel-worker.ts', { env }))
  const api = running.use(await start('bin/panel-api.ts', { env }))
  const accounts = await makeAccounts(api.port, tokens[0]!, needed.accounts)
  const all = running.move()
  const close = () => all.disposeAsync()
  return { databaseUrl, api, worker, tokens, accounts, [Symbol.asyncDispose]: close }
}

// A token may send 1,200 requests a minute, so there are enough that none comes near it.
export async function makeTokens(
  databaseUrl: string,
  count: number,
  permission: Permission = 'Provisioning only',
): Promise<string[]> {
  const owner = openPool(databaseUrl, 'panel_owner', 1)
  await addOperator(owner, {
    name: 'admin',
    role: 'administrator',
    email: 'admin@example.com',
    password: 'a password of the benchmark',
  })
  const tokens: string[] = []
  while (tokens.length < count) {
    tokens.push((await createToken(owner, { owner: 'admin', name: 'bench', permission })).token)
  }
  await owner.end()
  return tokens
}

async function makeAccounts(port: number, token: string, count: number): Promise<string[]> {
  const usernames = Array.from({ length: count }, (_, number) => `bench${number}`)
  await call(port, token, 'PUT', '/packages/starter', {})
  for (const username of usernames) {
    await call(port, token, 'POST', '/accounts', {
      username,
      password: 'a password of the benchmark',
      email: `${username}@example.com`,
      package: 'starter',
      domain: `${username}.example`,
    })
  }
  return usernames
}

export async function call(
  port: number,
  token: string,
  method: string,
  path: string,
  body: unknown,
) {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
}
