import { randomBytes } from 'node:crypto'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { listHistory } from '../../src/model/history/history.ts'
import { rootCaller } from '../../src/model/signing-in/callers.ts'
import { signIn } from '../../src/model/signing-in/sign-in.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

const panel = await openPanel(t)
const { pool } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const api = openPool(panel.databaseUrl, 'panel_api', 4)
t.teardown(() => api.end())
const key = randomBytes(32)
let addresses = 0
const guess = (name: string) => {
  const address = `198.51.100.${(addresses += 1)}`
  return signIn(api, { name, password: 'a guess' }, { address, browser: '', known: undefined }, key)
}
const root = await rootCaller(pool)
const lines = () => listHistory(api, root, { action: 'session/refuse' })

t.test('a wrong password is a line of the history, for whom it concerns', async t => {
  t.match(await guess('alice'), { is: 'wrong' })
  const [line] = await until(async () => {
    const found = await lines()
    return found.length > 0 && found
  })
  t.match(line, {
    who: 'unknown',
    about: 'alice, a wrong password',
    outcome: 'refused',
    address: '198.51.100.1',
  })
  const { rows } = await pool.query('select id, seller_id from panel.accounts')
  const { id, seller_id: sellerId } = rows[0]
  const customer = { ...root, id: 'session:1', role: 'customer' as const, sellerId, accountId: id }
  t.match(await listHistory(api, customer, { action: 'session/refuse' }), [
    { address: '198.51.100.1' },
  ])
})

t.test('guesses fill no table', async t => {
  await guess('alice')
  await guess('nobody')
  await guess('admin')
  await until(async () => (await lines()).some(({ about }) => about?.startsWith('admin')))
  t.equal((await lines()).length, 2, 'one a name, and of names alone')
  await pool.query(
    `insert into panel.history (channel, who, action, about, outcome, at)
     select 'page', 'unknown', 'session/refuse', 'x' || n, 'refused', now() - interval '2 hours'
     from generate_series(1, 998) n`,
  )
  await pool.query(`update panel.history set at = now() - interval '2 hours'`)
  await pool.query(
    `select panel.note_refused_sign_in(null, id, null, 'a wrong password') from panel.accounts`,
  )
  const { rows } = await pool.query(
    `select count(*)::int from panel.history where action = 'session/refuse'`,
  )
  t.equal(rows[0].count, 1_000)
})
