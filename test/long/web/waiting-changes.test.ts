import t from 'tap'
import { openAccountSession } from '../../../src/model/signing-in/sessions.ts'
import { openGate } from '../../support/gate.ts'
import { alice, openPanel } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { visit } from '../../support/web/browser.ts'

// A customer's changes wait in the account's lane: five at most, however many others there are.

const gate = openGate()
const panel = await openPanel(t, { observe: gate.observe })
const { pool } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const { rows } = await pool.query<{ id: string }>('select id from panel.accounts')
const cookies = await Promise.all(
  Array.from({ length: 8 }, () =>
    openAccountSession(pool, rows[0]!.id, { address: undefined, browser: undefined }),
  ),
)

const states = async () => {
  const { rows } = await pool.query<{ state: string }>(
    `select state from panel.operations where caller_role = 'customer' order by arrival`,
  )
  return rows.map(({ state }) => state)
}

async function change(session: string) {
  const headers = {
    cookie: `__Host-panel-account=${session}`,
    origin: 'https://panel.test:8443',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const path = `${panel.baseUrl}/account/security/password`
  const { text } = await visit(path, { headers })
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(text) ?? []
  const answer = { token, current: alice.password, password: alice.password }
  return visit(path, { method: 'POST', headers, body: new URLSearchParams(answer).toString() })
}

t.test('a sixth that waits is refused, and leaves nothing', async t => {
  gate.close()
  const first = change(cookies[0]!)
  await gate.reached()
  const others = cookies.slice(1).map(cookie => change(cookie!))
  const pages = await Promise.all(others)
  const statuses = pages.map(({ status }) => status).sort()
  t.strictSame(statuses, [303, 303, 303, 303, 303, 429, 429])
  for (const { status, headers } of pages) {
    // Its own page of the work, and not the one that owners have.
    if (status === 303)
      t.match(headers.location, /^\/account\/jobs\/[0-9a-f-]{36}\?then=%2Faccount/)
  }
  t.match(pages.find(({ status }) => status === 429)?.text, 'Five changes of this account')
  t.strictSame(await states(), ['running', ...Array(5).fill('blocked')])
  const theirs = panel.call('POST', '/api/v1/accounts/alice/suspend', {
    headers: { prefer: 'wait=0' },
    body: {},
  })
  gate.open()
  t.not((await theirs).status, 429, 'its seller is not refused')
  await first
  await until(async () => (await states()).every(state => /done|failed/.test(state)))
})
