import t from 'tap'
import { addOperator, changePassword } from '../../src/model/sellers/operators.ts'
import { isPassword } from '../../src/model/signing-in/password-hash.ts'
import { createToken, listTokens } from '../../src/model/signing-in/tokens.ts'
import { openPanel } from '../support/panel.ts'

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel
const owner = { role: 'reseller', email: 'bob@example.com', password: 'correct horse' } as const
await addOperator(pool, { name: 'bob', ...owner })

const get = (token: string) => panel.call('GET', '/api/v1/packages', { token })
const state = async (id: string) =>
  (await listTokens(pool, undefined)).find(token => token.id === id)?.state

t.test('a changed password makes every token of the owner void, and no other', async t => {
  const tokens = [
    await createToken(pool, { owner: 'bob', name: 'one' }),
    await createToken(pool, { owner: 'bob', name: 'two' }),
  ]
  for (const { id, token } of tokens) {
    t.equal((await get(token)).status, 200)
    t.equal(await state(id), 'valid')
  }
  t.equal(await changePassword(pool, 'bob', 'another password'), 2)
  for (const { id, token } of tokens) {
    t.equal((await get(token)).status, 401)
    t.equal(await state(id), 'void')
  }
  t.equal((await get(panel.token)).status, 200)

  const { rows } = await pool.query(`select password_hash from panel.operators where name = 'bob'`)
  t.equal(await isPassword('another password', rows[0].password_hash), true)
  t.equal(await isPassword(owner.password, rows[0].password_hash), false)
})

t.test('a token made after it works, until the same password is set again', async t => {
  const { token } = await createToken(pool, { owner: 'bob', name: 'three' })
  t.equal((await get(token)).status, 200)
  await changePassword(pool, 'bob', 'another password')
  t.equal((await get(token)).status, 401)
})

t.test('a refusal changes nothing', async t => {
  const { token } = await createToken(pool, { owner: 'bob', name: 'four' })
  await t.rejects(changePassword(pool, 'missing', 'another password'), {
    code: 'not_found',
    message: 'Unknown operator: missing',
  })
  await t.rejects(changePassword(pool, 'bob', 'short'))
  await t.rejects(addOperator(pool, { name: 'bob', ...owner }), {
    code: 'invalid',
    message: 'An operator bob already exists',
  })
  t.equal((await get(token)).status, 200)
  const { rows } = await pool.query('select count(*)::int as n from panel.sellers')
  t.strictSame(rows, [{ n: 2 }], 'a refused reseller leaves no seller behind')
})
