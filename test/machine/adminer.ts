import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect, createServer } from 'node:net'
import type { Test } from 'tap'
import { makeOwnCertificate } from '../../src/host/web/self-signed.ts'
import { until } from '../support/until.ts'
import { signInAs, type SignedIn } from '../support/web/signed-in.ts'
import { openDatabasePanel } from './databases.ts'
import { run, startServices } from './machine.ts'

// Tests of the distribution's Adminer share a panel behind the real nginx and PHP.

export const base = '/account/databases'
const ticketIn = (text: string): string => /8444(\/open\/[A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? ''

type Words = Record<string, string>
type Page = { status: number; headers: IncomingHttpHeaders; text: string }
/** A browser at Adminer's port. */
export type Window = {
  /** The cookies that it keeps, as they are sent. */
  cookie: string
  ask: (path: string, fields?: Words, more?: Words) => Promise<Page>
}

/** One, which keeps no cookie but that of the ticket. */
export function openWindow(cookie = ''): Window {
  const window: Window = {
    cookie,
    async ask(path, fields, more = {}) {
      const body = fields === undefined ? undefined : new URLSearchParams(fields).toString()
      const headers = {
        ...{ host: 'panel.test:8444', cookie: window.cookie, ...more },
        ...(body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
        }),
      }
      const method = body === undefined ? 'GET' : 'POST'
      const to = { host: '127.0.0.1', port: 8444, path, method, headers, agent: false as const }
      const sent = request({ ...to, rejectUnauthorized: false })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      let text = ''
      for await (const chunk of answer) text += String(chunk)
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (name === '__Host-panel-adminer') window.cookie = value === '' ? '' : `${name}=${value}`
      }
      return { status: answer.statusCode ?? 0, headers: answer.headers, text }
    },
  }
  return window
}

/** A statement by Adminer's own form. */
export async function sql(window: Window, statement: string, where = '/?sql='): Promise<string> {
  const form = await window.ask(where)
  const token = /name=["']token["'] value=["']([^"']+)["']/.exec(form.text)?.[1] ?? ''
  const { status, text } = await window.ask(where, { query: statement, token, limit: '' })
  return `${status} ${text}`
}

/** Whether nothing is open for it. */
export const isOver = async (window: Window): Promise<boolean> => {
  const { status, headers } = await window.ask('/')
  return status === 303 && headers.location === '/over'
}
/** A panel where alice and bob have a database each, and Adminer is ready. */
export async function openAdminerPanel(t: Test) {
  mkdirSync('/etc/panel/tls', { recursive: true, mode: 0o700 })
  const pem = await makeOwnCertificate('panel.test', new Date())
  writeFileSync('/etc/panel/tls/panel.pem', pem, { mode: 0o600 })
  // systemd has started it already.
  if (!existsSync('/run/systemd/system')) startServices('nginx')
  const { panel, mariadb, say, database, done, addAccount } = await openDatabasePanel(t)

  // The API of this test, where the installed one listens.
  mkdirSync('/run/panel', { recursive: true, mode: 0o755 })
  const bridge = createServer(from => {
    const to = connect(Number(new URL(panel.baseUrl).port), '127.0.0.1')
    from.pipe(to).pipe(from)
    for (const one of [from, to]) one.on('error', () => [from, to].forEach(each => each.destroy()))
  })
  bridge.listen('/run/panel/api.sock')
  await once(bridge, 'listening')
  t.teardown(() => bridge.close())

  const worker = await panel.startMachineWorker()
  const web = Number((await run('id', ['-u', 'panel-web'])).stdout)
  chownSync('/run/panel/api.sock', web, 0)
  chmodSync('/run/panel/api.sock', 0o600)

  await panel.call('PUT', '/api/v1/packages/starter', { body: { max_databases: 2 } })
  const passwords = new Map<string, string>()
  for (const name of ['alice', 'bob']) {
    await addAccount(name)
    passwords.set(name, (await done('add', name, 'shop')).password)
  }
  const as = (name: string, statements: string) =>
    mariadb.as(`${name}_shop`, passwords.get(name)!, statements, `${name}_shop`)
  await as('alice', 'CREATE TABLE own (a TEXT); INSERT INTO own VALUES ("mine")')
  await as('bob', 'CREATE TABLE secret (a TEXT); INSERT INTO secret VALUES ("theirs")')
  const { rows } = await panel.pool.query(`select id, name from panel.databases order by name`)
  const userOf = (name: string): string =>
    `panel_${rows.find((row: { name: string }) => row.name === `${name}_shop`).id}`

  /** Asks for a ticket, by the page. */
  async function ask(customer: SignedIn, name = 'alice'): Promise<string> {
    const shown = await customer.submit(`${base}/${name}_shop/adminer`)
    t.equal(shown.status, 200, shown.text)
    return ticketIn(shown.text)
  }

  /** Asks for a ticket, and uses it. */
  async function enter(customer: SignedIn, name = 'alice'): Promise<Window> {
    const window = openWindow()
    t.match(await window.ask(await ask(customer, name)), {
      status: 303,
      headers: { location: '/' },
    })
    return window
  }

  const isLocked = async (name: string): Promise<boolean> =>
    (
      await mariadb.root(
        `SELECT JSON_VALUE(Priv, '$.account_locked') FROM mysql.global_priv
         WHERE User = '${userOf(name)}'`,
      )
    ).trim() === '1'
  /**
   * Asserts the end of a session: no request is answered, no connection is left, no login works.
   */
  async function expectOver(window: Window, name = 'alice') {
    await until(() => isOver(window))
    await until(() => isLocked(name))
    const who = `USER = '${userOf(name)}'`
    const left = `SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ${who}`
    await until(async () => (await mariadb.root(left)) === '0\n')
  }

  const alice = await signInAs(panel, 'alice')
  const isReady = async () =>
    (await alice.get(`${base}/alice_shop`)).text.includes('Open in Adminer')
  await until(isReady)
  return {
    ...{ panel, mariadb, say, database, as, userOf, worker, web, alice },
    ...{ ask, enter, isLocked, expectOver },
  }
}
