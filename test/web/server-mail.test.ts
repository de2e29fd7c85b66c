import { dirname } from 'node:path'
import t from 'tap'
import { askForSnapshot, readSnapshot } from '../../src/model/server/server-snapshot.ts'
import { stageMailQueue } from '../screenshots/stage-mail.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import { signIn } from '../support/web/signed-in.ts'

// An administrator sees the mail that waits, who sends it, and mail domains with trouble.

const panel = await openPanel(t)
const { call, pool, root } = panel
await call('PUT', '/api/v1/packages/starter', { body: { mails_per_hour: 200 } })
for (const username of ['alice', 'hanna']) {
  const body = { ...alice, username, domain: `${username}.example` }
  await call('POST', '/api/v1/accounts', { body })
}
const admin = await signIn(panel)

t.test('without mail, no link leads to the page, and it says so', async t => {
  t.notMatch((await admin.get('/overview')).text, 'href="/mail"')
  t.match((await admin.get('/mail')).text, 'This server has no mail')
  await pool.query(`update panel.server set mail = '{"host": "mail.example.net"}'`)
  t.match((await admin.get('/overview')).text, 'href="/mail"')
  t.match((await admin.get('/mail')).text, 'not read yet')
})

t.test('the queue, senders at their limit and domains with trouble are shown', async t => {
  await askForSnapshot(pool)
  await until(async () => (await readSnapshot(pool)).taken_at !== null, 60_000)
  await stageMailQueue(pool)
  await pool.query(`
    insert into panel.mail_domains (account_id, domain, state, missing_since, desired)
    select a.id, d.name, d.state, d.since, 'present'
    from panel.accounts a, (values ('away.example', 'active', now() - interval '2 days'),
      ('new.example', 'pending', null), ('fine.example', 'active', null)) d (name, state, since)
    where a.username = 'alice'`)
  const { text } = await admin.get('/mail')
  for (const shown of [
    ...['<strong>142</strong>', 'news@hanna.example', 'Connection timed out', 'bounces'],
    ...['customer@elsewhere.example', 'and 11 more', '4bQx0z1Kd2z9tY', 'not tried yet'],
    ...['id="sender-hanna"', 'leads elsewhere', 'href="/accounts/alice/mail/domains/away.example"'],
    ...['id="domain-new.example"', 'the oldest 3 of 142'],
  ]) {
    t.ok(text.includes(shown), shown)
  }
  t.notMatch(text, /id="domain-fine\.example"|\[object/)
  const [first] = [...text.matchAll(/id="domain-([^"]+)"/g)].map(([, name]) => name)
  t.equal(first, 'away.example', 'the most urgent first')
})

t.test('a reason from outside is no markup', async t => {
  await pool.query(`
    update panel.server_snapshot
    set content = jsonb_set(content, '{mail,queue,messages,0,reason}', '"<script>alert(1)"')`)
  t.match((await admin.get('/mail')).text, '&lt;script&gt;alert(1)')
})

t.test('a waiting message is tried again, or deleted', async t => {
  const address = '/mail/queue/delete?message=4bQx0z1Kd2z9tY'
  t.ok((await admin.get('/mail')).text.includes(`href="${address}"`))
  t.match((await admin.get(address)).text, /4bQx0z1Kd2z9tY is deleted from the queue/)
  for (const name of ['retry', 'delete']) {
    const path = `/mail/queue/${name}`
    const sent = await admin.submit(path, { message: '4bQx0z1Kd2z9tY' })
    t.match(sent, { status: 303, headers: { location: '/mail#queue' } }, sent.text)
    t.equal((await admin.submit(path, { message: '../x' })).status, 422)
  }
})

t.test('resellers do not see it', async t => {
  await makeReseller(pool, 'rita')
  const rita = await signIn(panel, 'rita')
  t.equal((await rita.get('/mail')).status, 403)
  t.notMatch((await rita.get('/overview')).text, 'href="/mail"')
})

t.test('the command refuses a server without mail', async t => {
  const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
  const refused = await callPanel(['mail', 'queue'], environment)
  t.match(refused, { code: 1, stderr: /no mail service/ })
})
