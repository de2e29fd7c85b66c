import t from 'tap'
import { openPool, type Pool } from '../../src/db.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// A repeat has the row of the failed operation before it has a lane. Another caller of the same
// operation has the lane first: neither waits for the other.

let isFailing = false
const panel = await openPanel(t, {
  observe: async (_step, work) => {
    if (isFailing) throw new Error('staged')
    await work()
  },
})
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
const apiPool = () => {
  const one = openPool(panel.databaseUrl, 'panel_api', 1)
  t.teardown(() => one.end())
  return one
}
const [repeating, acting] = [apiPool(), apiPool()]

const isWaitingForLock = async (db: Pool) => {
  const pid = "select pid from pg_stat_activity where wait_event_type = 'Lock' and usename = $1"
  return (await db.query(pid, ['panel_api'])).rowCount !== 0
}

for (const [act, outcome] of [
  ['select panel.cancel_operation($1) as outcome', 'ended'],
  ['select outcome from panel.retry_operation($1)', 'failed'],
] as const) {
  t.test(`a failed run is repeated on request: ${act}`, async t => {
    isFailing = true
    t.equal((await call('POST', '/api/v1/accounts/alice/suspend', { key: outcome })).status, 500)
    isFailing = false
    const { rows } = await pool.query(
      'select id, lane, caller, fingerprint from panel.operations where key = $1',
      [outcome],
    )
    const [{ id, lane, caller, fingerprint }] = rows

    await repeating.query('begin')
    const claimed = await repeating.query(
      'select outcome from panel.claim_operation($1, $2, $3, false, null, null)',
      [caller, outcome, fingerprint],
    )
    t.strictSame(claimed.rows, [{ outcome: 'new' }])
    let isOver = false
    const acted = acting.query(act, [id]).finally(() => (isOver = true))
    // It would wait for the row, with the lane that the repeat is about to ask for.
    await until(async () => isOver || isWaitingForLock(pool))
    const begun = repeating.query(`select panel.begin_operation($1, 'account/suspend', $2, '{}')`, [
      id,
      lane,
    ])
    const [done] = await Promise.all([acted, begun])
    await repeating.query('commit')
    t.strictSame(done.rows, [{ outcome }])
    const stateOf = 'select state, status from panel.operations where id = $1'
    await until(async () => (await pool.query(stateOf, [id])).rows[0].state === 'done')
    await call('POST', '/api/v1/accounts/alice/unsuspend')
  })
}
