import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import pg from 'pg'
import type { Test } from 'tap'
import { openApi } from '../../../src/api/app.ts'
import { readConfig } from '../../../src/config.ts'
import { vendorKey } from '../../../src/model/server/license.ts'
import { addWebhook, secretsKey } from '../../../src/model/events/webhooks.ts'
import { readServerKey } from '../../../src/model/server/server-key.ts'
import { migrate } from '../../../src/migrate.ts'
import { openLocks } from '../../../src/queue/locks.ts'
import { startPostgres } from '../../../src/start/embedded-postgres.ts'
import { ensureFirstStart } from '../../../src/start/first-start.ts'
import { postgresPaths } from '../../../src/start/postgres-paths.ts'
import { ensureServerKey } from '../../../src/start/server-key.ts'
import { openPages } from '../../../src/web/routes.ts'
import { nameServer, type Zone } from '../acme/name-server.ts'
import { alice, call, surroundings } from '../panel.ts'
import { scratch } from '../scratch.ts'
import { workerOn } from '../worker.ts'
import { callPanel } from './run-panel.ts'

export const address = '11.22.33.44'

/**
 * A healthy panel, as `panel start` leaves it, on a durable PostgreSQL of its own: an active, a
 * suspended and a terminated account, a webhook, stand-ins for the machine's tools. Its worker has
 * ended, and only its lock is held, so that nothing repairs what a test breaks.
 */
export async function wholePanel(t: Test) {
  const stateDir = scratch(t)
  chmodSync(stateDir, 0o700)
  const postgres = await startPostgres({ stateDir, durable: true })
  t.teardown(() => postgres.stop(true))
  await migrate(postgres.url)
  const pool = new pg.Pool({
    host: postgresPaths(stateDir).socketDir,
    user: 'postgres',
    database: 'panel',
  })
  pool.on('error', () => undefined)
  t.teardown(() => pool.end())

  const license = { file: join(stateDir, 'license'), key: vendorKey, isDevelopment: true }
  const api = await openApi({
    databaseUrl: postgres.url,
    baseUrl: 'https://panel.example.com',
    ...surroundings,
    license,
    pages: openPages,
  })
  api.server.listen(0, '127.0.0.1')
  await once(api.server, 'listening')
  let stopped: Promise<void> | undefined
  const stopApi = () => (stopped ??= api.stop())
  t.teardown(stopApi)
  const { port } = api.server.address() as AddressInfo

  const zone: Zone = { 'panel.example.com': [address], 'alice.example': [address] }
  const environment: Record<string, string> = {
    PANEL_STATE_DIR: stateDir,
    PANEL_LISTEN: `127.0.0.1:${port}`,
    PANEL_HOSTNAME: 'panel.example.com',
    PANEL_BASE_URL: 'https://panel.example.com',
    PANEL_ACME_DIRECTORY: 'https://acme.invalid/directory',
    PANEL_ADDRESSES: address,
    PANEL_RESOLVER: await nameServer(t, zone),
    PANEL_HOOKS_DIR: join(stateDir, 'hooks'),
  }
  writeFileSync(join(stateDir, 'lock'), `${process.pid}\n`)
  const config = readConfig(environment)
  await ensureServerKey(config.keyFile)
  const first = await ensureFirstStart(postgres.url, config)
  const root = join(stateDir, 'host')
  standIns(root)
  await fill(postgres.url, root, `http://127.0.0.1:${port}`, first?.token ?? '')
  await addWebhook(
    pool,
    { url: 'https://receiver.example/', events: [], secret: 'a secret of the webhook' },
    secretsKey(readServerKey(config.keyFile)),
  )
  await pool.query(
    `insert into panel.backups (id, path, bytes, started_at, duration_ms, release)
     values (gen_random_uuid(), '/mnt/panel.age', 1, now(), 1, '0.1.0')`,
  )
  const processes = {
    worker: await showProcess(postgres.url, 'worker'),
    courier: await showProcess(postgres.url, 'courier'),
  }
  t.teardown(() => Promise.all([processes.worker.close(), processes.courier.close()]))
  return {
    pool,
    stateDir,
    root,
    environment,
    zone,
    stopApi,
    postgres,
    processes,
    token: first?.token ?? '',
    panel: (...words: string[]) => callPanel(words, environment),
  }
}

/** Holds the lock that shows a running process. */
export async function showProcess(url: string, name: 'worker' | 'courier') {
  const locks = await openLocks(url, `panel_${name}`, () => undefined)
  await locks.showProcess(name)
  return locks
}

export type WholePanel = Awaited<ReturnType<typeof wholePanel>>

async function fill(databaseUrl: string, root: string, baseUrl: string, token: string) {
  const worker = await workerOn(databaseUrl, root)
  const ask = async (method: string, path: string, body: unknown) => {
    const answer = await call(`${baseUrl}/api/v1${path}`, method, { token, body })
    if (answer.status > 201) throw new Error(`${method} ${path}: ${answer.text}`)
  }
  await ask('PUT', '/packages/starter', {})
  for (const username of ['alice', 'bob', 'carol']) {
    const domain = `${username}.example`
    await ask('POST', '/accounts', { ...alice, username, domain })
  }
  await ask('POST', '/accounts/bob/suspend', {})
  await ask('DELETE', '/accounts/carol', undefined)
  await worker.stop()
}

/** Puts a tool into a sandbox. */
export function standIn(root: string, name: string, script = ''): void {
  const path = join(root, 'usr/local/sbin', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

/** The output of a healthy machine's tools. */
export const tools: Record<string, string> = {
  nginx: '',
  sshd: 'echo denygroups panel-closed',
  systemctl: '',
  'php-fpm': '',
  repquota: '',
  timedatectl: 'echo yes',
}

function standIns(root: string): void {
  for (const [name, script] of Object.entries(tools)) standIn(root, name, script)
  mkdirSync(join(root, 'usr/lib'), { recursive: true })
  writeFileSync(join(root, 'usr/lib/os-release'), 'ID=debian\nVERSION_ID="12"\n')
  for (const name of ['memory', 'cpu', 'pids']) {
    mkdirSync(join(root, 'sys/fs/cgroup', name), { recursive: true })
  }
}
