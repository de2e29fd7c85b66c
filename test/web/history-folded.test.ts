import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// Automatic operations are folded into the change that caused them, as each reader may see it.

const panel = await openPanel(t)
const { pool, call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
const names = ['alice', 'bella', 'chess']
for (const username of names) {
  const email = `${username}@example.com`
  await call('POST', '/api/v1/accounts', {
    body: { ...alice, username, email, domain: `${username}.example` },
  })
}
const { token } = await makeReseller(pool, 'rita')
const admin = await signIn(panel)
const line = (text: string) => text.replaceAll(/\s*\n\s*/g, ' ')
const history = async (query = '', reader = admin) =>
  line((await reader.get(`/history${query}`)).text)

const applied = () =>
  pool.query<{ cause: string; state: string }>(
    `select cause, state from panel.operations where name = 'account/apply' and cause is not null`,
  )
t.test('a changed package is one line, with the accounts that it was applied to', async t => {
  const changed = await call('PUT', '/api/v1/packages/starter', { body: { disk_mb: 2_048 } })
  t.equal(changed.status, 200)
  await until(async () => {
    const { rows } = await applied()
    return rows.length === 3 && rows.every(({ state }) => state === 'done')
  })
  const text = await history()
  t.match(text, /applied to 3 accounts<\/summary><p>alice, bella, chess · /)
  t.equal(text.split('Apply account').length - 1, 0, 'and none of its own')
  const [{ cause } = { cause: '' }] = (await applied()).rows
  const { rows } = await pool.query('select name, subject from panel.operations where id = $1', [
    cause,
  ])
  t.strictSame(rows, [{ name: 'package/set', subject: 'starter' }])
  const all = await history(`?cause=${cause}`)
  t.match(all, 'Showing only the effects of one change')
  for (const name of names) t.ok(all.includes(name), name)
})

t.test('filters that ask for automatic operations show each', async t => {
  t.match(await history('?account=alice'), />alice<\/td>.*the panel/)
  const csv = (await admin.get('/history.csv?action=account/apply')).text
  t.equal(csv.trim().split('\r\n').length, 4, 'a download has all of them')
  t.equal((await admin.get('/history?cause=x')).status, 400)
})

t.test('failures stand out, and what is still to come', async t => {
  await pool.query(`update panel.operations set state = 'failed', status = null, body = null
    where name = 'account/apply' and username = 'bella' and cause is not null`)
  t.match(await history(), /applied to 3 accounts, <strong class="bad">1 failed<\/strong>/)
})

t.test('the fold stays when operations are recorded in the history', async t => {
  await pool.query(`select panel.keep_history(array_agg(id)) from panel.operations
    where name in ('package/set', 'account/apply')`)
  await pool.query(`delete from panel.operations where name in ('package/set', 'account/apply')`)
  t.match(await history(), /applied to 3 accounts, <strong class="bad">1 failed<\/strong>/)
})

t.test('consecutive lines of the panel itself are one', async t => {
  await pool.query(
    `insert into panel.history (at, channel, who, action, about, account_id, operation_id)
     select now() + interval '1 minute' + n * interval '1 s', 'panel', 'panel',
       'certificate/request', username, id, gen_random_uuid()
     from panel.accounts, generate_series(1, 2) n`,
  )
  const text = await history()
  t.match(text, /6 times, earliest <time/)
  t.match(text, />3 accounts<\/td>/)
})

t.test('the retry of many jobs is one line', async t => {
  await pool.query(
    `insert into panel.history (at, channel, who, action, about)
     select now() + interval '5 minutes', 'page', 'admin', 'delivery/redeliver', 'd' || n
     from generate_series(1, 3) n`,
  )
  t.match(await history(), /Redeliver delivery.*<summary>3 times/)
})

t.test('others see only their own', async t => {
  await call('PUT', '/api/v1/packages/small', { token, body: {} })
  t.notMatch(await history('', await signIn(panel, 'rita')), 'alice')
  const own = line((await (await signInAs(panel, 'alice')).get('/account/history')).text)
  t.notMatch(own, 'bella')
})

t.test('days are one click away', async t => {
  const text = await history('?who=admin')
  const today = new Date().toISOString().slice(0, 10)
  t.match(text, `/history?who=admin&amp;since=${today}&amp;until=${today}`)
  t.match(await history(`?since=${today}&until=${today}`), /aria-current="true">Today/)
})

t.test('the history of an account is filtered, downloaded and folded like that of all', async t => {
  for (let n = 0; n < 3; n += 1) await signInAs(panel, 'alice')
  await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason: 'unpaid' } })
  const of = async (query = '') => line((await admin.get(`/accounts/alice/history${query}`)).text)
  const text = await of()
  t.match(text, /<strong>Sign in<\/strong> ?<details> ?<summary>4 times/, 'one line of a person')
  t.match(text, 'href="/history.csv?account=alice"')
  t.match(text, /Last 7 days/)
  const today = new Date().toISOString().slice(0, 10)
  const narrow = await of(`?action=account/suspend&since=${today}`)
  t.match(narrow, 'unpaid')
  t.notMatch(narrow, '<summary>4 times')
  const address = `/history.csv?action=account%2Fsuspend&amp;since=${today}&amp;account=alice`
  t.match(narrow, `href="${address}"`)
  const csv = (await admin.get(address.replaceAll('&amp;', '&'))).text.trim().split('\r\n')
  t.equal(csv.length, 2, 'the download is narrowed down too')
  t.match(csv[1], 'unpaid')
  t.match(await of('?who=a-missing-person'), 'No results')
  t.equal((await admin.get('/accounts/alice/history?since=x')).status, 400)
  await call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
})
