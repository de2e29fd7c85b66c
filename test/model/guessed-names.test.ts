import { randomBytes } from 'node:crypto'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { signIn } from '../../src/model/signing-in/sign-in.ts'
import { database } from '../support/database.ts'

const { url, pool } = await database(t)
const api = openPool(url, 'panel_api', 4)
t.teardown(() => api.end())
const key = randomBytes(32)
const password = 'a password of it'
await addOperator(pool, {
  name: 'boss',
  role: 'administrator',
  email: 'boss@example.com',
  password,
})

const enter = (entered: string, address: string) =>
  signIn(
    api,
    { name: 'boss', password: entered },
    { address, browser: 'Firefox', known: undefined },
    key,
  )
const guess = (address: string) => enter('wrong password', address)
/** Makes blocked callers wait for minutes, so that it doesn't matter how quick the test is. */
const prolong = () => pool.query('update panel.sign_in_attempts set failures = failures + 8')

t.test('guesses at a name do not lock out callers from elsewhere', async t => {
  for (let number = 0; number < 5; number += 1) {
    t.match(await guess(`198.51.100.${number}`), { is: 'wrong' })
  }
  await prolong()
  t.match(await guess('198.51.100.0'), { is: 'wait' }, 'an address that has failed')
  for (const [first, second] of [
    ['203.0.113.1', '203.0.113.2'],
    ['2001:db8:7:1::1', '2001:db8:7:2::1'],
  ] as const) {
    t.match(await guess(first), { is: 'wrong' }, 'is checked')
    await prolong()
    t.match(await enter(password, second), { is: 'wait' }, 'and its network waits')
  }
  t.match(await enter(password, '192.0.2.99'), { is: 'signed in' })
  const { rows } = await pool.query(`
    select from panel.sign_in_attempts
    where counter = sha256(convert_to(panel.network_counter('boss', '192.0.2.99'), 'UTF8'))`)
  t.equal(rows.length, 0, 'a right one is taken back')
})
