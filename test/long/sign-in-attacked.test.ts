import { readFileSync } from 'node:fs'
import { Agent, request as send } from 'node:http'
import { join } from 'node:path'
import { TOTP } from 'otpauth'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { addOperator, getOperator } from '../../src/model/sellers/operators.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  factorsKey,
} from '../../src/model/signing-in/second-factors.ts'
import { readServerKey } from '../../src/model/server/server-key.ts'
import { ensureServerKey } from '../../src/start/server-key.ts'
import { startApi } from '../support/api/api-process.ts'
import { openPanel } from '../support/panel.ts'

// Sign-in under attack: guesses by the thousand, each from an address of its own, as the panel's
// trusted proxy forwards it. Meanwhile people sign in where they have before, and call the API.

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel
const stateDir = join(panel.root, '..')
await ensureServerKey(join(stateDir, 'key'))
const serverKey = readServerKey(join(stateDir, 'key'))
const origin = 'http://panel.test'
const api = await startApi(t, panel.databaseUrl, {
  PANEL_STATE_DIR: stateDir,
  PANEL_TRUSTED_PROXIES: '127.0.0.1/32',
  PANEL_BASE_URL: origin,
})
const password = 'a password of it'
await addOperator(pool, { name: 'boss', role: 'administrator', email: 'b@example.com', password })
await addOperator(pool, { name: 'tina', role: 'reseller', email: 't@example.com', password })

const guesses = 10_000
// More than may wait for their turn.
const atOnce = 300
const agent = new Agent({ keepAlive: true, maxSockets: atOnce + 8 })
t.teardown(() => agent.destroy())

type Answer = { status: number; cookies: string[] }

/** Sends a form from an address, with whatever cookies. */
function post(path: string, fields: object, from: string, cookie = ''): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = send(`${api.baseUrl}${path}`, {
    method: 'POST',
    agent,
    headers: {
      ...{ 'x-forwarded-for': from, origin, 'sec-fetch-site': 'same-origin', cookie },
      'content-type': 'application/x-www-form-urlencoded',
    },
  })
  sent.on('error', reject).on('response', answer => {
    const cookies = (answer.headers['set-cookie'] ?? []).map(one => one.split(';', 1)[0]!)
    answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, cookies }))
  })
  sent.end(new URLSearchParams({ ...fields }).toString())
  return promise
}

const addressOf = (number: number) =>
  `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`

/** So many guesses at once, and how often each status was the answer. */
async function attack(many: number, guess: (number: number) => Promise<Answer>) {
  const statuses: Record<number, number> = {}
  let next = 0
  const go = async () => {
    while (next < many) {
      const { status } = await guess(next++)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, go))
  return statuses
}

/** Goes on as long as the attack does; returns what was not as it should be. */
async function meanwhile<T>(attacked: Promise<T>, act: () => Promise<string | undefined>) {
  const wrong: string[] = []
  let times = 0
  let isOver = false
  void attacked.finally(() => (isOver = true))
  while (!isOver) {
    const failed = await act()
    times += 1
    if (failed !== undefined) wrong.push(failed)
  }
  return { wrong, times, statuses: await attacked }
}

const knownOf = ({ cookies }: Answer) => cookies.find(one => one.startsWith('panel-known=')) ?? ''
const rows = async () => (await pool.query('select from panel.sign_in_attempts')).rowCount ?? 0
const maxMemoryMiB = () => {
  const text = readFileSync(`/proc/${api.child.pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+([0-9]+) kB$/m.exec(text)?.[1]) / 1_024
}

const home = '192.0.2.7'
const first = await post('/sign-in', { username: 'boss', password }, home)
t.equal(first.status, 303)
const known = knownOf(first)

/** The owner, where it has signed in before; and a program with its token. */
async function live(): Promise<string | undefined> {
  const { status } = await post('/sign-in', { username: 'boss', password }, home, known)
  if (status !== 303) return `signing in: ${status}`
  const headers = { authorization: `Bearer ${panel.token}`, 'x-forwarded-for': '192.0.2.8' }
  const called = await fetch(`${api.baseUrl}/api/v1/packages`, { headers })
  return called.status === 200 ? undefined : `a call: ${called.status}`
}

/** The same, and the owner in a browser where it never was. */
async function liveAnywhere(): Promise<string | undefined> {
  const { status } = await post('/sign-in', { username: 'boss', password }, '192.0.2.77')
  return status === 303 ? live() : `signing in somewhere new: ${status}`
}

t.test('guesses at one name, each from an address of its own', async t => {
  const before = await rows()
  const username = 'boss'
  const attacked = attack(guesses, number =>
    post('/sign-in', { username, password: `guess ${number}` }, addressOf(number)),
  )
  const { wrong, times, statuses } = await meanwhile(attacked, liveAnywhere)
  t.comment(`${JSON.stringify(statuses)}, ${times} times at work, ${maxMemoryMiB()} MiB at most`)
  t.strictSame(wrong, [])
  t.ok(times > 0)
  const { 422: decidable = 0, 429: waited = 0, 503: full = 0, ...others } = statuses
  t.strictSame(others, {}, 'nothing else was the answer')
  t.equal(decidable + waited + full, guesses)
  // Limits the name, which its user begins again each time: the 16th would have waited for half a
  // day. Limits each network: the 12th would have waited for half an hour.
  const networks = Math.ceil(guesses / 256)
  t.ok(decidable >= 5 && decidable < 16 + 5 * times + 12 * networks, `${decidable} were checked`)
  const max = decidable + 1 + networks
  t.ok((await rows()) - before <= max, 'a row for the name, each network, and each checked')
  await pool.query('delete from panel.sign_in_attempts')
})

t.test('guesses at many names, each from an address of its own', async t => {
  const attacked = attack(guesses, number =>
    post('/sign-in', { username: `name${number}`, password: 'guess' }, addressOf(number)),
  )
  const { wrong, times, statuses } = await meanwhile(attacked, liveAnywhere)
  t.comment(`${JSON.stringify(statuses)}, ${times} times at work, ${maxMemoryMiB()} MiB at most`)
  t.strictSame(wrong, [])
  t.ok(times > 0)
  const { 422: decidable = 0, 503: full = 0, ...others } = statuses
  t.strictSame(others, {}, 'nothing else was the answer')
  t.equal(decidable + full, guesses)
  t.ok(full > 0, 'most are turned away before anything is done for them')
  t.equal(await rows(), 2 * decidable, 'a row for the name and one for the address of each checked')
  await pool.query('delete from panel.sign_in_attempts')
})

t.test('guesses at a code with the right password are limited', async t => {
  const before = await post('/sign-in', { username: 'tina', password }, home)
  const own = openPool(panel.databaseUrl, 'panel_api', 1)
  const tina = { kind: 'operator', id: (await getOperator(pool, 'tina')).id, name: 'tina' } as const
  const key = factorsKey(serverKey)
  const { secret } = await beginEnrolment(own, tina, 'panel.test', key)
  const code = new TOTP({ secret }).generate()
  const codes = await confirmEnrolment(own, tina, code, key)
  await own.end()
  const pendingOf = async (from: string, cookie = '') => {
    const { status, cookies } = await post('/sign-in', { username: 'tina', password }, from, cookie)
    t.equal(status, 303)
    return cookies.find(one => one.startsWith('panel-pending=')) ?? ''
  }
  const pending = await pendingOf('192.0.2.66')
  const attacked = attack(guesses, number =>
    post('/sign-in/code', { code: `${100_000 + number}` }, addressOf(number), pending),
  )
  const { wrong, times, statuses } = await meanwhile(attacked, async () => {
    const recovery = codes.pop()
    if (recovery === undefined) return live()
    const cookie = knownOf(before)
    const mine = await pendingOf(home, cookie)
    const done = await post('/sign-in/code', { code: recovery }, home, `${mine}; ${cookie}`)
    return done.status === 303 ? undefined : `a recovery code: ${done.status}`
  })
  t.comment(`${JSON.stringify(statuses)}, ${times} times at work, ${maxMemoryMiB()} MiB at most`)
  t.strictSame(wrong, [])
  const { 422: decidable = 0, 429: waited = 0, ...others } = statuses
  t.strictSame(others, {}, 'nothing else was the answer')
  t.equal(decidable + waited, guesses)
  // Each time that the owner signs in, five more are free.
  t.ok(decidable < 120, `${decidable} were checked`)
})

t.test('all of it has taken a bounded amount of memory', async t => {
  // One comparison takes 19 MiB, and what it has used stays with the thread that made it.
  t.ok(maxMemoryMiB() < 600, `${maxMemoryMiB()} MiB`)
})
