import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import type { Test } from 'tap'
import { openApi, type ApiOptions } from '../../src/api/app.ts'
import type { Observe } from '../../src/model/server/host.ts'
import { vendorKey, type LicenseSettings } from '../../src/model/server/license.ts'
import { whyUnreachable } from '../../src/outside/reachability.ts'
import type { Running } from '../../src/process.ts'
import { openPages } from '../../src/web/routes.ts'
import { database, token } from './database.ts'
import { workerOn } from './worker.ts'

export type Answer = {
  status: number
  headers: Headers
  text: string
  // Tests compare the whole value, so it needs no type.
  body: any
}

export type Panel = {
  databaseUrl: string
  /** As a superuser: to inspect, and to stage what no process may do. */
  pool: pg.Pool
  baseUrl: string
  token: string
  /** The folder in which the sandbox host keeps its files. */
  root: string
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  /** A further worker on the same database and machine. */
  startWorker: (observe?: Observe) => Promise<Required<Running>>
}

export type CallOptions = {
  body?: unknown
  /** Without a key each call gets a new one. */
  key?: string
  token?: string | null
  headers?: Record<string, string>
}

export type PanelOptions = {
  observe?: Observe
  hasWorker?: boolean
  /** The development license, unless there is another for this server. */
  license?: (serverId: string) => LicenseSettings
  /** The address at which a browser reaches it as its links say, over plain HTTP. */
  origin?: { host: string; port: number }
  /** The panel's own text on its pages. */
  about?: Partial<ApiOptions['about']>
  metricsToken?: string
  /** In place of the sandbox's. */
  uploadsDir?: string
  exportsDir?: string
}

/** API, worker and sandbox host in this process, on port 0 and a database of the test's own. */
export async function openPanel(t: Test, options: PanelOptions = {}): Promise<Panel> {
  const { url: databaseUrl, pool } = await database(t, 'panel_owned')
  const scratch = await mkdtemp(join(tmpdir(), 'panel-host-'))
  t.teardown(() => rm(scratch, { recursive: true, force: true }))
  const root = join(scratch, 'host')
  // For commands, which ask as root.
  writeFileSync(join(scratch, 'key'), key, { mode: 0o600 })

  const { rows: servers } = await pool.query<{ id: string }>('select id from panel.server')
  const api = await openApi({
    databaseUrl,
    baseUrl: options.origin
      ? `http://${options.origin.host}:${options.origin.port}`
      : 'https://panel.test:8443',
    ...surroundings,
    about: { ...surroundings.about, ...options.about },
    license: options.license?.(servers[0]!.id) ?? {
      file: join(scratch, 'license'),
      key: vendorKey,
      isDevelopment: true,
    },
    metricsToken: options.metricsToken ?? null,
    uploadsDir: options.uploadsDir ?? join(root, 'var/spool/panel/in'),
    exportsDir: options.exportsDir ?? join(root, 'var/spool/panel/out'),
    pages: openPages,
  })
  api.server.listen(options.origin?.port ?? 0, '127.0.0.1')
  await once(api.server, 'listening')
  t.teardown(api.stop)
  const { port } = api.server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`

  const start = async (observe?: Observe) => {
    const worker = await workerOn(databaseUrl, root, observe)
    t.teardown(worker.stop)
    return worker
  }
  // Nothing restarts the panel's worker: tests that wait for it get the reason of its end.
  const ends: Promise<never>[] = []
  if (options.hasWorker !== false) {
    const { gaveUp } = await start(options.observe)
    ends.push(
      gaveUp.then(given => {
        throw new Error(`The worker gave up: ${given?.reason}`, { cause: given?.error })
      }),
    )
    ends[0]!.catch(() => undefined)
  }
  return {
    databaseUrl,
    pool,
    baseUrl,
    token,
    root,
    startWorker: start,
    call: (method, path, given = {}) =>
      Promise.race([call(`${baseUrl}${path}`, method, { token, ...given }), ...ends]),
  }
}

const key = randomBytes(32)

/** The API's settings about its surroundings: its own name, and no proxy. */
export const surroundings: Pick<
  ApiOptions,
  'ownNames' | 'proxies' | 'about' | 'serverKey' | 'uploadsDir' | 'exportsDir' | 'whyUnreachable'
> = {
  whyUnreachable: url => whyUnreachable(url, ['127.0.0.0/8']),
  uploadsDir: join(tmpdir(), 'panel-uploads-unused'),
  exportsDir: join(tmpdir(), 'panel-exports-unused'),
  serverKey: () => key,
  about: {
    ...{ serverName: 'panel.test', version: '0.0.0', trashHours: 72 },
    addresses: async () => ['203.0.113.4', '2001:db8::4'],
  },
  ownNames: ['panel.test'],
  proxies: { isSocket: false, trusted: [] },
}

/** One call of the API with a real HTTP client; a string as body is sent unchanged. */
export async function call(
  url: string,
  method: string,
  { body, key = randomUUID(), token, headers = {} }: CallOptions,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === null || token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'GET' ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The bodies of the README's two calls. */
export const alice = {
  username: 'alice',
  password: 'correct horse battery',
  email: 'alice@example.com',
  package: 'starter',
  domain: 'alice.example',
}
