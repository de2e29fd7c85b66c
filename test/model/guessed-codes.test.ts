import { randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { addOperator, getOperator } from '../../src/model/sellers/operators.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  factorsKey,
} from '../../src/model/signing-in/second-factors.ts'
import { enterCode, signIn, type At } from '../../src/model/signing-in/sign-in.ts'
import { database } from '../support/database.ts'

const { url, pool } = await database(t)
const api = openPool(url, 'panel_api', 4)
t.teardown(() => api.end())
const key = randomBytes(32)
const password = 'a password of it'

t.test('guesses at a code make its owner wait nowhere that knows the name', async t => {
  await addOperator(pool, { name: 'theo', role: 'reseller', email: 'theo@example.com', password })
  const theo = { kind: 'operator', id: (await getOperator(pool, 'theo')).id, name: 'theo' } as const
  const at = (known?: string): At => ({ address: '192.0.2.7', browser: 'Firefox', known })
  const first = await signIn(api, { name: 'theo', password }, at(), key)
  if (first.is !== 'signed in') throw new Error(first.is)
  const { secret } = await beginEnrolment(api, theo, 'panel.test', factorsKey(key))
  const codes = await confirmEnrolment(
    ...([api, theo, new TOTP({ secret }).generate(), factorsKey(key)] as const),
  )
  const guess = async (at: At) => {
    const step = await signIn(api, { name: 'theo', password }, at, key)
    if (step.is !== 'code') throw new Error(step.is)
    return (code: string) => enterCode(api, { pending: step.pending, code }, at, key)
  }
  const theirs = await guess(at())
  for (let number = 0; number < 5; number += 1) t.match(await theirs('000000'), { is: 'wrong' })
  await pool.query('update panel.second_factors set failures = 30')
  t.match(await theirs(codes[0]!), { is: 'wait' })
  const own = await guess(at(first.known))
  t.match(await own('000000'), { is: 'wrong' })
  t.match(await own(codes[0]!), { is: 'signed in' })
  const again = await guess(at(first.known))
  for (let number = 0; number < 4; number += 1) await again('000000')
  await pool.query('update panel.sign_in_attempts set failures = failures + 8 where failures >= 5')
  t.match(await again(codes[1]!), { is: 'wait' }, 'it has a counter of its own')
})
