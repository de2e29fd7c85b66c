import t from 'tap'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'

// While a suspension begins, ends or is replaced, the account is shown as it is, not as it will be.

let isFailing = false
const gate = openGate(() => isFailing)
const panel = await openPanel(t, { observe: gate.observe })
const { call, pool } = panel
const { token } = await makeReseller(pool, 'bigshop')
await call('PUT', '/api/v1/packages/starter', { body: {}, token })
await call('POST', '/api/v1/accounts', { body: alice, token })

const path = '/api/v1/accounts/alice'
const suspend = (reason: string, by = panel.token) =>
  call('POST', `${path}/suspend`, { token: by, body: { reason } })
const unsuspend = () => call('POST', `${path}/unsuspend`)

type Suspension = Record<'state' | 'suspend_reason' | 'suspended_by' | 'suspended_at', unknown>

const suspensionOf = (body: Suspension) => [
  ...[body.state, body.suspend_reason, body.suspended_by],
  body.suspended_at !== null,
]

async function shown(): Promise<unknown[]> {
  const { body } = await call('GET', path)
  const listed = (await call('GET', '/api/v1/accounts', { token })).body.accounts[0]
  t.strictSame(suspensionOf(listed), suspensionOf(body))
  return suspensionOf(body)
}

const active = ['active', null, null, false]
const late = ['suspended', 'late', 'reseller', true]
const abuse = ['suspended', 'abuse', 'administrator', true]

/** Stops a change at its first step, looks at the account, and lets it go on. */
async function midway(ask: () => ReturnType<typeof call>): Promise<unknown[]> {
  gate.close()
  const answer = ask()
  await gate.reached()
  const seen = await shown()
  gate.open()
  await answer
  return seen
}

t.test('a suspension is shown once it is there, and until it has ended', async t => {
  t.strictSame(await midway(() => suspend('late', token)), active)
  t.strictSame(await shown(), late)
  t.strictSame(await midway(unsuspend), late)
  t.strictSame(await shown(), active)
})

t.test('a suspension that another replaces is shown until then', async t => {
  await suspend('late', token)
  // The machine is not known to agree, so there is work to do.
  await pool.query('update panel.accounts set is_applied = false')
  t.strictSame(await midway(() => suspend('abuse')), late)
  t.strictSame(await shown(), abuse)
  t.strictSame(
    await midway(() => call('PUT', `${path}/package`, { body: { package: 'starter' } })),
    abuse,
  )
})

t.test('a suspension that could not be lifted stays the same', async t => {
  isFailing = true
  const failed = unsuspend()
  await until(async () => {
    const { rows } = await pool.query(`select from panel.operations where state = 'undoing'`)
    return rows.length > 0
  })
  t.strictSame(await shown(), abuse)
  isFailing = false
  t.equal((await failed).status, 500)
  t.strictSame(await shown(), abuse)
  const { rows } = await pool.query('select suspension_before from panel.accounts')
  t.strictSame(rows, [{ suspension_before: null }])
})

t.test('a restart in the middle changes nothing of it', async t => {
  gate.close()
  const answer = unsuspend()
  await gate.reached()
  // As its next start does, in a worker that has taken over.
  await pool.query(
    `select panel.write_desired_account(id) from panel.operations where state = 'running'`,
  )
  t.strictSame(await shown(), abuse)
  gate.open()
  t.equal((await answer).status, 200)
  t.strictSame(await shown(), active)
})

t.test('a termination shows none from its start', async t => {
  await suspend('abuse')
  t.match(await midway(() => call('DELETE', path)), ['terminating', null, null])
})
