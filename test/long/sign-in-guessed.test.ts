import { randomBytes } from 'node:crypto'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { signIn } from '../../src/model/signing-in/sign-in.ts'
import { database } from '../support/database.ts'

// Guesses at names and passwords by the dozen, each of which costs a hash.

const { url, pool } = await database(t)
const api = openPool(url, 'panel_api', 8)
t.teardown(() => api.end())
const key = randomBytes(32)
const password = 'a password of it'
await addOperator(pool, { name: 'boss', role: 'administrator', email: 'b@example.com', password })

const home = { address: '192.0.2.7', browser: 'Firefox', known: undefined }
let addresses = 0
/** Attempts from an address of their own. */
const elsewhere = () => ({ ...home, address: `198.51.100.${(addresses += 1)}` })
const enter = (name: string, password: string, at: typeof home = elsewhere()) =>
  signIn(api, { name, password }, at, key)
/** Makes blocked callers wait for minutes, so that it doesn't matter how quick the test is. */
const prolong = () =>
  pool.query('update panel.sign_in_attempts set failures = failures + 8 where failures >= 5')
const attempts = async () => (await pool.query('select from panel.sign_in_attempts')).rowCount

t.test('guesses from an address wait, whatever the name', async t => {
  const from = elsewhere()
  for (let number = 0; number < 20; number += 1) {
    t.match(await enter(`name${number}`, 'wrong password', from), { is: 'wrong' })
  }
  await prolong()
  const before = await attempts()
  for (let number = 0; number < 20; number += 1) {
    t.match(await enter('boss', 'wrong password', from), { is: 'wait' })
  }
  t.equal(await attempts(), before, 'what waits is not counted')
  t.match(await enter('boss', password), { is: 'signed in' }, 'and delays no other user')
  t.match(await enter('another', 'wrong password'), { is: 'wrong' })
  const six = (last: string) => ({ ...home, address: `2001:db8::${last}` })
  await pool.query('delete from panel.sign_in_attempts')
  for (let number = 0; number < 20; number += 1) {
    await enter(`name${number}`, 'wrong password', six(`${number}`))
  }
  await prolong()
  t.match(await enter('another', 'wrong password', six('ffff')), { is: 'wait' }, 'a whole /64')
  const waits = await pool.query(`update panel.sign_in_attempts set failures = 100`)
  t.ok(waits.rowCount)
  t.match(await enter('another', 'x', six('1')), { is: 'wait', seconds: 900 }, 'at most')
})
