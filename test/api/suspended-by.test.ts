import { dirname } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { tree } from '../support/tree.ts'
import { barrier, until } from '../support/until.ts'

// A reseller can neither lift nor end an administrator's suspension, in either order.

let hold: ReturnType<typeof barrier> | undefined
const steps: string[] = []
const panel = await openPanel(t, {
  observe: async (step, work) => {
    steps.push(step)
    await hold?.pass()
    await work()
  },
})
const { call, pool } = panel
const { token } = await makeReseller(pool, 'bigshop')
await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 2 }, token })
await call('POST', '/api/v1/accounts', { body: alice, token })

const path = '/api/v1/accounts/alice'
const suspend = (reason: string, by = panel.token) =>
  call('POST', `${path}/suspend`, { token: by, body: { reason } })
const unsuspend = (by = panel.token) => call('POST', `${path}/unsuspend`, { token: by })
const events = async () => {
  const { rows } = await pool.query<{ name: string }>('select name from panel.events offset 2')
  return rows.map(({ name }) => name)
}

const forbidden = { status: 403, body: { error: 'An administrator has suspended this account' } }

const channels: Record<string, (reason: string) => Promise<unknown>> = {
  'by the API': reason => suspend(reason),
  'by a command': reason =>
    callPanel(['account', 'suspend', 'alice', '--reason', reason], {
      DATABASE_URL: panel.databaseUrl,
      PANEL_STATE_DIR: dirname(panel.root),
    }),
}
for (const [channel, takeOver] of Object.entries(channels)) {
  t.test(`an administrator takes over a reseller’s suspension ${channel}`, async t => {
    const first = await suspend('overdue', token)
    const lines = await events()
    steps.length = 0
    await takeOver('abuse')
    t.strictSame(steps, [], 'the machine knows nothing of who has suspended it')
    const { suspended_at } = first.body
    t.match(await call('GET', path), {
      body: { state: 'suspended', suspend_reason: 'abuse', suspended_at },
    })
    t.strictSame(await events(), lines, 'it was suspended all along')

    const files = await tree(panel.root)
    t.match(await unsuspend(token), forbidden)
    t.match(await call('DELETE', path, { token }), forbidden)
    t.match(await suspend('mine', token), { status: 200, body: { suspend_reason: 'abuse' } })
    t.match(await unsuspend(token), forbidden)
    for (const [what, body] of [
      ['package', { package: 'starter' }],
      ['password', { password: 'another horse' }],
    ] as const) {
      const changed = await call('PUT', `${path}/${what}`, { token, body })
      t.match(changed, { status: 200, body: { state: 'suspended' } }, what)
    }
    t.equal((await call('PATCH', path, { token, body: { email: 'a@b.example' } })).status, 200)
    t.strictSame(Object.keys(await tree(panel.root)), Object.keys(files), 'nothing of it has gone')
    t.equal((await unsuspend()).status, 200)
  })
}

t.test('a request from before the administrator’s suspend ran is refused after it', async t => {
  const barred = (hold = barrier())
  const first = suspend('overdue', token)
  await barred.stopped
  const asked = [
    () => suspend('abuse'),
    () => unsuspend(token),
    () => call('DELETE', path, { token }),
  ]
  const answers: ReturnType<typeof call>[] = []
  for (const ask of asked) {
    answers.push(ask())
    await blocked(answers.length)
  }
  // No page offers it yet.
  await pool.query(
    `with begun as (
       insert into panel.operations (token_id, key, fingerprint, caller_role)
       select id, 'site', sha256('x'), 'reseller' from panel.tokens where name = 'billing'
       returning id)
     select panel.begin_operation(b.id, 'site/remove', s.account_id,
       jsonb_build_object('site_id', s.id, 'domain', s.domain))
     from begun b, panel.sites s`,
  )
  steps.length = 0
  hold = undefined
  barred.open()
  t.equal((await first).status, 200)
  const [taken, lifted, ended] = await Promise.all(answers)
  t.match(taken, { status: 200, body: { suspend_reason: 'abuse' } })
  t.match(lifted, forbidden)
  t.match(ended, forbidden)
  const removed = await until(async () => {
    const { rows } = await pool.query(
      `select state, status from panel.operations where key = 'site'`,
    )
    return rows[0].state === 'done' && rows[0]
  })
  t.strictSame(removed, { state: 'done', status: 403 })
  t.equal(steps.filter(step => step === 'lock').length, 1, 'nothing had to be undone')
  t.match(await call('GET', path), {
    body: { state: 'suspended', suspend_reason: 'abuse', domain: 'alice.example' },
  })
  const { rows } = await pool.query('select desired, is_applied from panel.accounts')
  t.strictSame(rows, [{ desired: 'suspended', is_applied: true }])
})

t.test('an administrator lifts it, and ends it', async t => {
  t.equal((await unsuspend()).status, 200)
  await suspend('abuse')
  t.match(await call('DELETE', path), { status: 200, body: { state: 'terminated' } })
})

async function blocked(count: number) {
  await until(async () => {
    const { rows } = await pool.query(`select from panel.operations where state = 'blocked'`)
    return rows.length === count
  })
}
