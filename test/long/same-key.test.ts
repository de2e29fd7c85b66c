import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'

// A finished job that is not deleted yet must not swallow the job of a repeat.

let isFailing = false
const panel = await openPanel(t, {
  observe: async (_step, work) => {
    if (isFailing) throw new Error('staged')
    await work()
  },
})
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.call('POST', '/api/v1/accounts', { body: alice })

t.test('the same key straight after a 5xx runs again, 500 times', async t => {
  const statuses = new Map<string, number>()
  for (let turn = 0; turn < 500; turn++) {
    const path = `/api/v1/accounts/alice/${turn % 2 === 0 ? 'suspend' : 'unsuspend'}`
    isFailing = true
    const failed = await panel.call('POST', path, { key: `turn-${turn}` })
    isFailing = false
    const repeat = await panel.call('POST', path, { key: `turn-${turn}` })
    const outcome = `${failed.status} ${repeat.status} ${repeat.body.state}`
    statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
  }
  t.strictSame(Object.fromEntries(statuses), { '500 200 suspended': 250, '500 200 active': 250 })
  const { rows } = await panel.pool.query(
    `select name, count(*)::int as n from panel.events
     where name like 'account.%suspended' group by name order by name`,
  )
  t.strictSame(rows, [
    { name: 'account.suspended', n: 250 },
    { name: 'account.unsuspended', n: 250 },
  ])
})
