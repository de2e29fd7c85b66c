import t from 'tap'
import { makeReseller } from '../support/reseller.ts'
import { alice, openPanel } from '../support/panel.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// The pages of cron jobs: of a customer's own, and of an account.

const panel = await openPanel(t)
const { call, pool } = panel
const { token } = await makeReseller(pool, 'rita')
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('PUT', '/api/v1/packages/small', { token, body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
const rob = { ...alice, username: 'rob', domain: 'rob.example', package: 'small' }
await call('POST', '/api/v1/accounts', { token, body: rob })
const customer = await signInAs(panel, 'alice')
const jobs = async () =>
  (await pool.query('select id, schedule, command from panel.cron_jobs order by id')).rows
const errorIn = (text: string) => /<p class="error"[^>]*>([^]*?)<\/p>/.exec(text)?.[1] ?? ''

for (const [who, asked, base] of [
  ['a customer', customer, '/account/cron-jobs'],
  ['an administrator', await signIn(panel), '/accounts/alice/cron-jobs'],
] as const) {
  t.test(`${who} adds, sees, changes, runs and removes a job`, async t => {
    t.match((await asked.get(base)).text, 'No cron job yet')
    const wrong = await asked.submit(`${base}/new`, { schedule: '61 * * * *', command: 'true' })
    t.equal(wrong.status, 422)
    t.match(errorIn(wrong.text), /0 to 59/)
    const fields = { schedule: '*/15 * * * *', command: 'echo "<b>"' }
    const added = await asked.submit(`${base}/new`, fields)
    t.equal(added.status, 303, errorIn(added.text))
    const [{ id }] = await jobs()
    const list = await asked.get(base)
    for (const shown of ['echo &quot;&lt;b&gt;&quot;', 'every 15 minutes', 'not yet']) {
      t.ok(list.text.includes(shown) || list.text.includes(shown.replaceAll('&quot;', '&#34;')))
    }
    t.notMatch(list.text, '<b>')

    const page = `${base}/${id}`
    t.match((await asked.get(page)).text, 'No finished runs yet')
    t.equal((await asked.submit(`${page}/run`, {})).status, 303)
    t.match((await asked.get(page)).text, /exit code 0[^]*The job wrote no output/)
    await pool.query(
      `update panel.cron_jobs set last_output = '<script>alert(1)</script>', last_exit_code = 3,
         running_since = now()`,
    )
    const { text } = await asked.get(page)
    t.match(text, /exit code 3[^]*&lt;script&gt;/)
    t.notMatch(text, '<script>alert')
    t.match(text, '<dt>Running</dt>')
    t.match((await asked.get(base)).text, />running</)
    t.match((await asked.get(`${page}/run`)).text, 'cannot start again')

    t.match((await asked.get(`${page}/edit`)).text, 'value="*/15 * * * *"')
    const changed = await asked.submit(`${page}/edit`, { ...fields, schedule: '@daily' })
    t.equal(changed.status, 303, errorIn(changed.text))
    t.match(await jobs(), [{ schedule: '0 0 * * *' }])
    t.equal((await asked.submit(`${page}/remove`, {})).status, 303)
    t.strictSame(await jobs(), [])
    t.equal((await asked.get(page)).status, 404)
    t.equal((await asked.submit(`${page}/remove`, {})).status, 404)
  })
}

t.test('a customer sees no jobs of others', async t => {
  const rita = await signIn(panel, 'rita')
  t.equal((await rita.submit('/accounts/rob/cron-jobs/new', job)).status, 303)
  const [{ id }] = await jobs()
  t.equal((await customer.get(`/account/cron-jobs/${id}`)).status, 404)
  t.equal((await customer.submit(`/account/cron-jobs/${id}/run`, {})).status, 404)
  const elsewhere = await customer.get('/accounts/rob/cron-jobs')
  t.equal(elsewhere.status, 303, 'a session of a customer is for its own pages alone')
  t.equal((await rita.get('/accounts/alice/cron-jobs')).status, 404)
  t.equal((await rita.submit('/accounts/alice/cron-jobs/new', job)).status, 404)
  t.equal((await jobs()).length, 1)
})

t.test('jobs of a suspended account are shown, and none is started', async t => {
  await call('POST', '/api/v1/accounts/rob/suspend', { token, body: {} })
  const rita = await signIn(panel, 'rita')
  const [{ id }] = await jobs()
  t.match((await rita.get('/accounts/rob/cron-jobs')).text, 'so its cron jobs do not run')
  t.match((await rita.get(`/accounts/rob/cron-jobs/${id}/run`)).text, 'not active')
})

const job = { schedule: '@hourly', command: 'true' }
