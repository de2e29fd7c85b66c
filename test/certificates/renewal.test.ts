import t from 'tap'
import type { Renewal } from '../../src/model/certificates/authority.ts'
import { courierOn } from '../support/courier.ts'
import { openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { certificatesOf, makeWorld } from '../support/certificates/world.ts'

// A renewal is due when the authority wants it, and else at two thirds of the certificate's life.

const panel = await openPanel(t)
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.pool.query(`select panel.set_issuing(true, '{}')`)
const world = await makeWorld({ namesKey: true })
await courierOn(t, panel.databaseUrl, { authority: world })
const { create, find, untilSsl, hasten, events } = certificatesOf(panel)

const hour = 3_600_000
const day = 24 * hour
const soon = (ms: number) => new Date(Date.now() + ms)
const checks: string[] = []
const resolve = world.resolve
world.resolve = name => {
  checks.push(name)
  return resolve(name)
}

/** Has the courier ask once, and returns the row that comes of it. */
async function ask(renewal: () => Promise<Renewal | undefined>) {
  let isAsked = false
  world.renewal = async id => {
    isAsked = true
    t.equal(id, (await find('alice.example')).renewal_id)
    return renewal()
  }
  const { epoch } = await find('alice.example')
  await hasten('alice')
  return until(async () => {
    const row = await find('alice.example')
    return isAsked && row.epoch > epoch + 2 && row.due_at > new Date() && row
  })
}

t.test('a certificate says by which id, and its authority is asked within a day', async t => {
  for (const name of ['alice.example', 'www.alice.example']) world.pointing.add(name)
  await create('alice')
  const row = await untilSsl('alice', 'issued')
  t.match(row.renewal_id, /^[\w-]{27}\.[\w-]{20,}$/)
  const wait = row.due_at - Date.now()
  t.ok(wait > 11 * hour && wait < 24.1 * hour, `${wait / hour} h`)
  t.strictSame(world.replaced, [null])
})

const planned = async () => (await find('alice.example')).renew_at as Date

t.test('without an answer it stays as it was planned, and is asked again in a day', async t => {
  const before = await planned()
  const silent: (() => Promise<Renewal | undefined>)[] = [
    async () => undefined,
    () => Promise.reject(new Error('The authority is out of order')),
    () => Promise.reject(new Error('no\0thing')),
  ]
  checks.length = 0
  for (const renewal of silent) {
    const { renew_at, due_at, attempts, error } = await ask(renewal)
    t.strictSame(renew_at, before)
    t.ok(Math.abs(due_at - Date.now() - day) < hour)
    t.match({ attempts, error }, { attempts: 0, error: null })
  }
  t.strictSame(checks, [], 'the names are of no interest')
})

t.test('a time to come is kept to, and asking again does not move it', async t => {
  const [start, end] = [soon(10 * day), soon(12 * day)]
  const { renew_at, due_at } = await ask(async () => ({ start, end, askAgainMs: 5 * hour }))
  t.ok(renew_at >= start && renew_at <= end)
  t.ok(Math.abs(due_at - Date.now() - 5 * hour) < hour)
  const again = await ask(async () => ({ start, end, askAgainMs: 5 * hour }))
  t.strictSame(again.renew_at, renew_at)
})

t.test('a time that comes before the authority is asked again is not slept through', async t => {
  const [start, end] = [soon(hour), soon(hour + 1_000)]
  const { due_at, renew_at } = await ask(async () => ({ start, end, askAgainMs: day }))
  t.strictSame(due_at, renew_at)
})

t.test('a time close to the end, or beyond, leaves two days for failures', async t => {
  const { expires_at } = await find('alice.example')
  for (const ms of [expires_at - Date.now() - hour, 400 * day, 300_000 * day]) {
    const { renew_at } = await ask(async () => ({
      ...{ start: soon(ms), end: soon(ms + hour), askAgainMs: day },
    }))
    t.strictSame(renew_at, new Date(expires_at - 2 * day))
  }
})

t.test('a time that has passed has it renewed now, and says what that replaces', async t => {
  const { renewal_id } = await find('alice.example')
  world.renewal = async () => ({ start: soon(-2 * day), end: soon(-day), askAgainMs: day })
  await hasten('alice')
  await until(async () => (await events('alice')).length === 2)
  t.strictSame(world.replaced, [null, renewal_id])
  const row = await find('alice.example')
  t.not(row.renewal_id, renewal_id)
  t.ok(row.due_at - Date.now() > 11 * hour, 'and not again at once')
})

t.test('a renewal that is due does not wait for an answer', async () => {
  world.renewal = () => Promise.reject(new Error('The authority is out of order'))
  await hasten('alice', 'due_at = now(), renew_at = now()')
  await until(async () => (await events('alice')).length === 3)
})

t.test('a certificate from the release before is renewed as it was', async t => {
  world.renewal = () => Promise.reject(new Error('Asked by no id'))
  await hasten('alice', 'due_at = now(), renewal_id = null')
  const row = await until(async () => {
    const found = await find('alice.example')
    return found.due_at > new Date() && found
  })
  t.strictSame(row.due_at, row.renew_at)
  t.equal((await events('alice')).length, 3)
})
