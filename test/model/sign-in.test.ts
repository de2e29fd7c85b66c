import { randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import t from 'tap'
import { openPool, transaction } from '../../src/db.ts'
import { addOperator, changePassword, getOperator } from '../../src/model/sellers/operators.ts'
import { isPassword } from '../../src/model/signing-in/password-hash.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  factorsKey,
} from '../../src/model/signing-in/second-factors.ts'
import { findSession } from '../../src/model/signing-in/sessions.ts'
import { changeRanges } from '../../src/model/signing-in/sign-in-ranges.ts'
import {
  confirmDemanded,
  enterCode,
  findPending,
  isOwnPassword,
  signIn,
  type SignedIn,
} from '../../src/model/signing-in/sign-in.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'

const panel = await openPanel(t)
const { pool } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const api = openPool(panel.databaseUrl, 'panel_api', 8)
t.teardown(() => api.end())
const key = randomBytes(32)

const password = 'a password of it'
const add = (name: string, role: 'administrator' | 'reseller') =>
  addOperator(pool, { name, role, email: `${name}@example.com`, password })
await add('boss', 'administrator')

const home = { address: '192.0.2.7', browser: 'Firefox', known: undefined }
let addresses = 0
/** Attempts from an address of their own, so that tests don't slow each other down. */
const elsewhere = () => ({ ...home, address: `198.51.100.${(addresses += 1)}` })
const enter = (name: string, password: string, at: typeof home = elsewhere()) =>
  signIn(api, { name, password }, at, key)
const signedIn = async (name: string, password: string) => {
  const outcome = await enter(name, password)
  t.equal(outcome.is, 'signed in')
  return outcome as SignedIn
}
const changeIn = (change: Parameters<typeof changeRanges>[1]) =>
  transaction(pool, db => changeRanges(db, change))
const forget = () => pool.query('delete from panel.sign_in_attempts')
/** Makes blocked callers wait for minutes, so that it doesn't matter how quick the test is. */
const prolong = () =>
  pool.query('update panel.sign_in_attempts set failures = failures + 8 where failures >= 5')
const attempts = async () => (await pool.query('select from panel.sign_in_attempts')).rowCount

t.test('owners and customers sign in by name and password', async t => {
  const owner = await signedIn('boss', password)
  t.match(await findSession(api, owner.cookie), {
    name: 'boss',
    caller: { role: 'administrator' },
  })
  const customer = await signedIn(' Alice ', alice.password)
  t.equal(customer.kind, 'account')
  t.match(await findSession(api, customer.cookie), { name: 'alice', caller: { role: 'customer' } })
  t.equal(await attempts(), 0, 'right ones are not counted')
})

t.test('a wrong name and a wrong password look the same', async t => {
  const { rows } = await pool.query('select id from panel.accounts')
  for (const [name, entered] of [
    ['boss', 'wrong password'],
    ['alice', 'wrong password'],
    ['nobody', password],
    ['no\\body\0', password],
    ['boss', 'x'.repeat(100_000)],
    ['boss', ''],
    ['', ''],
  ] as const) {
    t.strictSame(await enter(name, entered), { is: 'wrong' }, name)
  }
  await pool.query('update panel.accounts set sign_in_hash = null')
  t.strictSame(await enter('alice', alice.password), { is: 'wrong' }, 'by a link only')
  const set = { body: { password: alice.password } }
  await panel.call('PUT', '/api/v1/accounts/alice/password', set)
  t.match(await enter('alice', alice.password), { is: 'signed in' }, 'until it is set again')
  t.equal(rows.length, 1)
  await forget()
})

t.test('the hash goes with the password, and back where that fails', async t => {
  const hash = async () =>
    (await pool.query('select sign_in_hash from panel.accounts')).rows[0].sign_in_hash
  t.ok(await isPassword(alice.password, await hash()))
  const set = { body: { password: 'another of alice' } }
  await panel.call('PUT', '/api/v1/accounts/alice/password', set)
  t.notOk(await isPassword(alice.password, await hash()))
  t.ok(await isPassword('another of alice', await hash()))
  const back = { body: { password: alice.password } }
  await panel.call('PUT', '/api/v1/accounts/alice/password', back)
  const { rows } = await pool.query(`select o::text as row from panel.operations o`)
  t.notOk(rows.some(({ row }) => row.includes('another of alice') || row.includes('argon2id')))
})

t.test('a suspended operator is informed, by the right password alone', async t => {
  const { token } = await makeReseller(pool, 'rita')
  await panel.call('PUT', '/api/v1/packages/small', { token, body: {} })
  const body = { username: 'carl', password: 'correct horse', email: 'c@example.com' }
  await panel.call('POST', '/api/v1/accounts', { token, body: { ...body, package: 'small' } })
  await panel.call('POST', '/api/v1/accounts/carl/suspend', { token, body: {} })
  await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.strictSame(await enter('carl', 'wrong password'), { is: 'wrong' })
  t.strictSame(await enter('carl', body.password), {
    is: 'suspended',
    contact: 'rita@example.com',
  })
  t.strictSame(await enter('alice', alice.password), { is: 'suspended', contact: null })
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend')
  await pool.query(
    `update panel.sellers set suspended_at = now()
     where id = (select seller_id from panel.operators where name = 'rita')`,
  )
  t.strictSame(await enter('rita', password), { is: 'suspended', contact: null })
  await forget()
})

t.test('the name of an owner is no account’s, nor the other way round', async t => {
  await t.rejects(add('alice', 'reseller'), /An account alice already exists/)
  await t.rejects(add('boss', 'reseller'), /An operator boss already exists/)
  const body = { ...alice, domain: null, username: 'boss' }
  const taken = await panel.call('POST', '/api/v1/accounts', { body })
  t.match(taken, { status: 400, body: { error: 'username boss is taken' } })

  const [owner, account] = await Promise.allSettled([
    add('both', 'reseller'),
    panel.call('POST', '/api/v1/accounts', { body: { ...body, username: 'both' } }),
  ])
  const isMade = account.status === 'fulfilled' && account.value.status === 201
  t.not(owner.status === 'fulfilled', isMade, 'one of two at once')

  // From before there was one name space: the owner signs in.
  await pool.query(`update panel.operators set name = 'alice' where name = 'boss'`)
  t.match(await enter('alice', password), { is: 'signed in', kind: 'operator' })
  t.match(await enter('alice', alice.password), { is: 'wrong' })
  await pool.query(`update panel.operators set name = 'boss' where name = 'alice'`)
  await forget()
})

t.test('administrators sign in from the listed addresses alone', async t => {
  await changeIn({ isCleared: true, added: ['192.0.2.0/24'] })
  t.match(await enter('boss', 'wrong password'), { is: 'wrong' })
  t.match(await enter('boss', password), { is: 'address' })
  t.match(await enter('boss', password, home), { is: 'signed in' })
  t.match(await enter('alice', alice.password), { is: 'signed in' })
  await changeIn({ isCleared: true, added: [] })
  await forget()
})

t.test('a second factor comes after the password, and each code works once', async t => {
  await add('tina', 'reseller')
  const tina = { kind: 'operator', id: (await getOperator(pool, 'tina')).id, name: 'tina' } as const
  const { secret } = await beginEnrolment(api, tina, 'panel.test', factorsKey(key))
  const codes = await confirmEnrolment(
    ...([api, tina, new TOTP({ secret }).generate(), factorsKey(key)] as const),
  )
  const first = await enter('tina', password)
  if (first.is !== 'code') throw new Error(first.is)
  const { pending } = first
  t.notMatch(pending, password)
  t.match(await enterCode(api, { pending, code: '000000' }, home, key), { is: 'wrong' })
  for (const spoilt of ['', 'x.y', `${pending}x`, pending.slice(1), `${pending}.${pending}`]) {
    const entered = { pending: spoilt, code: codes[0]! }
    t.match(await enterCode(api, entered, home, key), { is: 'over' }, spoilt)
  }
  const code = codes[0]!
  const at = elsewhere()
  const both = await Promise.all([
    enterCode(api, { pending, code }, at, key),
    enterCode(api, { pending, code }, at, key),
  ])
  t.strictSame(both.map(({ is }) => is).sort(), ['signed in', 'wrong'])
  t.strictSame(await findPending(api, pending, 'panel.test', key), { next: 'code' })

  await changePassword(pool, 'tina', 'a later one')
  const late = await enterCode(api, { pending, code: codes[1]! }, home, key)
  t.match(late, { is: 'over' }, 'the password is no longer right')
  await forget()
})

t.test('a customer may have one too', async t => {
  const { rows } = await pool.query(`select id from panel.accounts where username = 'alice'`)
  const person = { kind: 'account', id: rows[0].id, name: 'alice' } as const
  const before = await signedIn('alice', alice.password)
  const other = await signedIn('alice', alice.password)
  const { id } = (await findSession(api, before.cookie))!
  const { secret } = await beginEnrolment(api, person, 'panel.test', factorsKey(key))
  const code = new TOTP({ secret }).generate()
  const codes = await confirmEnrolment(api, person, code, factorsKey(key), id)
  t.ok(await findSession(api, before.cookie), 'who asks stays')
  t.notOk(await findSession(api, other.cookie))
  const first = await enter('alice', alice.password)
  if (first.is !== 'code') throw new Error(first.is)
  const done = await enterCode(api, { pending: first.pending, code: codes[0]! }, home, key)
  t.match(done, { is: 'signed in', kind: 'account' })
  await pool.query('delete from panel.second_factors')
  await forget()
})

t.test('an administrator may demand one of all owners', async t => {
  await pool.query('update panel.server set demands_second_factor = true')
  t.match(await enter('alice', alice.password), { is: 'signed in' })
  const first = await enter('boss', password)
  if (first.is !== 'enrolment') throw new Error(first.is)
  const { pending } = first
  const next = await findPending(api, pending, 'panel.test', key)
  if (next?.next !== 'enrolment') throw new Error(next?.next)
  t.strictSame(await findPending(api, pending, 'panel.test', key), next, 'the same once more')
  const { secret } = next.enrolment
  t.equal(await findPending(api, 'x.y', 'panel.test', key), undefined)
  await t.rejects(confirmDemanded(api, { pending, code: '000000' }, home, key))
  const code = new TOTP({ secret }).generate()
  const made = await confirmDemanded(api, { pending, code }, home, key)
  t.match(made, { outcome: { is: 'signed in' } })
  t.equal(made?.recoveryCodes.length, 10)
  t.match(await enter('boss', password), { is: 'code' })
  await pool.query('update panel.server set demands_second_factor = false')
  await pool.query('delete from panel.second_factors')
  await forget()
})

t.test('guesses at a name wait, but for a browser that knows it', async t => {
  const { known } = await signedIn('boss', password)
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, number) => enter('boss', `wrong password ${number}`)),
  )
  const decidable = outcomes.filter(({ is }) => is === 'wrong').length
  // Each further one has waited: the tenth for half a minute.
  t.ok(decidable >= 5 && decidable < 10, `at once, too: ${decidable}`)
  await pool.query('update panel.sign_in_attempts set failures = failures + 8')
  t.match(await enter('boss', password), { is: 'wait', seconds: Number })
  t.match(await enter('boss', password, { ...elsewhere(), known } as never), { is: 'signed in' })
  t.match(await enter('alice', alice.password), { is: 'signed in' }, 'no other user waits')
  const theirs = { ...elsewhere(), known } as never
  for (let number = 0; number < 5; number += 1) {
    t.match(await enter('boss', 'wrong password', theirs), { is: 'wrong' })
  }
  await prolong()
  t.match(await enter('boss', password, theirs), { is: 'wait' }, 'it has a counter of its own')
  await pool.query(`update panel.sign_in_attempts set tried_at = tried_at - interval '20 minutes'`)
  t.match(await enter('boss', password), { is: 'signed in' }, 'after the wait')
  const forged = { ...elsewhere(), known: `${known}x` }
  await pool.query(`update panel.sign_in_attempts set failures = 30`)
  t.match(await enter('boss', 'wrong password', forged as never), { is: 'wrong' })
  await forget()
})

t.test('the own password is asked for again, and counted for the session', async t => {
  const one = (await findSession(api, (await signedIn('boss', password)).cookie))!
  const other = (await findSession(api, (await signedIn('boss', password)).cookie))!
  t.equal(await isOwnPassword(api, one, password), 'right')
  for (let number = 0; number < 5; number += 1) {
    t.equal(await isOwnPassword(api, one, 'wrong password'), 'wrong')
  }
  await prolong()
  t.match(await isOwnPassword(api, one, password), { seconds: Number })
  t.equal(await isOwnPassword(api, other, password), 'right')
  const customer = (await findSession(api, (await signedIn('alice', alice.password)).cookie))!
  t.equal(await isOwnPassword(api, customer, alice.password), 'right')
  t.equal(await isOwnPassword(api, { ...customer, name: 'boss' }, password), 'wrong')
  await forget()
})
