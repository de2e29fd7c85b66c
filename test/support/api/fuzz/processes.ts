import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import type { Test } from 'tap'
import { addOperator } from '../../../../src/model/sellers/operators.ts'
import { setPlan } from '../../../../src/model/sellers/resellers.ts'
import { createToken } from '../../../../src/model/signing-in/tokens.ts'
import { ensureServerKey } from '../../../../src/start/server-key.ts'
import { database } from '../../database.ts'
import { startProcess, type Child } from '../../processes.ts'
import type { CallerKind, Header } from './requests.ts'

/** The panel's three processes as an administrator runs them, and what they have logged. */
export type Processes = {
  port: number
  /** Connected as a superuser. */
  pool: pg.Pool
  log: () => string
  apiMemoryMiB: () => number
}

export async function startPanel(t: Test): Promise<Processes> {
  const { url, pool } = await database(t)
  const stateDir = await mkdtemp(join(tmpdir(), 'panel-fuzz-'))
  t.teardown(() => rm(stateDir, { recursive: true, force: true }))
  await ensureServerKey(join(stateDir, 'key'))
  let log = ''
  const environment = {
    DATABASE_URL: url,
    PANEL_DEVELOPMENT: 'yes',
    PANEL_LISTEN: '127.0.0.1:0',
    PANEL_STATE_DIR: stateDir,
  }
  const start = (name: string): Promise<Child> =>
    startProcess(t, `bin/panel-${name}.ts`, [], {
      ready: new RegExp(`"${name} ready"`),
      environment,
      onOutput: text => (log += text),
    })
  const [api] = await Promise.all([start('api'), start('worker'), start('courier')])
  const status = `/proc/${api.child.pid}/status`
  return {
    port: Number(/"api ready","address":\{[^}]*"port":([0-9]+)/.exec(log)?.[1]),
    pool,
    log: () => log,
    apiMemoryMiB: () =>
      Number(/VmRSS:\s+([0-9]+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) / 1_024,
  }
}

/** The headers with which each kind of caller authenticates. */
export type Callers = Record<CallerKind, () => Header[]>

// Each token is used for fewer requests than a minute's limit.
const requestsPerToken = 1_000

export async function makeCallers(
  pool: pg.Pool,
  requests: number,
): Promise<{ callers: Callers; tokens: string[] }> {
  const password = 'a password of the test'
  for (const name of ['reseller', 'suspended']) {
    await addOperator(pool, { name, role: 'reseller', email: `${name}@example.com`, password })
  }
  await addOperator(pool, {
    name: 'admin',
    role: 'administrator',
    email: 'a@example.com',
    password,
  })
  const plan = {
    max_accounts: 12,
    disk_mb: 50_000,
    max_sites: 40,
    memory_mb: 4_096,
    cpu_percent: 400,
  }
  await setPlan(pool, 'reseller', plan)
  await pool.query(
    `update panel.sellers s set suspended_at = now()
     from panel.operators o where o.seller_id = s.id and o.name = 'suspended'`,
  )
  const enough = Math.ceil(requests / requestsPerToken) + 1
  const tokensOf = async (owner: string, count: number) => {
    const made = Array.from({ length: count }, () => createToken(pool, { owner, name: 'fuzz' }))
    return (await Promise.all(made)).map(({ token }) => token)
  }
  const administrators = await tokensOf('admin', enough)
  const resellers = await tokensOf('reseller', enough)
  const [suspended] = await tokensOf('suspended', 1)
  const { token: elsewhere } = await createToken(pool, {
    owner: 'admin',
    name: 'elsewhere',
    allowed: ['192.0.2.0/24'],
  })
  const { id, token: revoked } = await createToken(pool, { owner: 'admin', name: 'revoked' })
  await pool.query('update panel.tokens set revoked_at = now() where id = $1', [id])
  const bearer = (token: string): Header[] => [['Authorization', `Bearer ${token}`]]
  const [administrator, reseller] = [inTurn(administrators), inTurn(resellers)]
  const tokens = [...administrators, ...resellers, suspended!, elsewhere, revoked]
  const callers: Callers = {
    administrator: () => bearer(administrator()),
    reseller: () => bearer(reseller()),
    suspended: () => bearer(suspended!),
    elsewhere: () => bearer(elsewhere),
    revoked: () => bearer(revoked),
    unknown: () => bearer(`pnl_${randomBytes(32).toString('base64url')}`),
    none: () => [],
    twice: () => [...bearer(administrator()), ...bearer(reseller())],
  }
  return { callers, tokens }
}

function inTurn<T>(items: T[]): () => T {
  let next = 0
  return () => items[next++ % items.length]!
}
