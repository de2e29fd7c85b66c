import t from 'tap'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Records are deleted after a day, but never before they have ended.

const gate = openGate()
const panel = await openPanel(t, { observe: gate.observe })
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice, key: 'created' })
const suspend = (key: string) => call('POST', '/api/v1/accounts/alice/suspend', { key })

/** The keys of this test. */
const keys = async () => {
  const { rows } = await pool.query(
    `select key from panel.operations where key !~ '-' order by key`,
  )
  return rows.map(({ key }) => key as string)
}

async function purge(): Promise<void> {
  const { rows } = await pool.query(`select id from worker_queue.add_job('maintenance/purge')`)
  await until(async () => {
    const { rowCount } = await pool.query('select from worker_queue._private_jobs where id = $1', [
      rows[0].id,
    ])
    return rowCount === 0
  })
}

t.test('records of a day ago are deleted, but not blocked or running ones', async t => {
  await call('POST', '/api/v1/accounts/missing/suspend', { key: 'refused' })
  gate.close()
  const answers = [suspend('running')]
  await gate.reached()
  answers.push(suspend('blocked'))
  await until(async () => (await keys()).includes('blocked'))
  await pool.query(`update panel.operations set created_at = created_at - interval '24 hours'`)
  await call('PUT', '/api/v1/packages/other', { body: {}, key: 'young' })
  await purge()
  t.strictSame(await keys(), ['blocked', 'running', 'young'])

  gate.open()
  for (const { status } of await Promise.all(answers)) t.equal(status, 200)
  await purge()
  t.notOk((await keys()).includes('running'), 'gone, now that it has ended')
})

t.test('links and sessions that are over are deleted', async t => {
  await call('POST', '/api/v1/accounts/alice/unsuspend')
  const login = () => call('POST', '/api/v1/accounts/alice/login')
  await login()
  await pool.query('update panel.sign_ons set expires_at = now()')
  await login()
  await pool.query(
    `insert into panel.sessions (hash, account_id, expires_at)
     select sha256('over'), id, now() from panel.accounts
     union all select sha256('open'), id, now() + interval '1 minute' from panel.accounts`,
  )
  await purge()
  t.equal((await pool.query('select from panel.sign_ons')).rowCount, 1)
  t.equal((await pool.query('select from panel.sessions')).rowCount, 1)
})
