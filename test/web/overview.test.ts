import t from 'tap'
import { listConcerns } from '../../src/model/server/concerns.ts'
import { keepNewest } from '../../src/model/server/newest-release.ts'
import { askForSnapshot, readSnapshot } from '../../src/model/server/server-snapshot.ts'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { pool, call } = panel
const admin = await signIn(panel)
const words = async (person = admin) =>
  (await person.get('/overview')).text.replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ')

t.test('the first steps tick themselves off', async t => {
  t.match(await words(), '1 of 5 done', 'an unused token connects nothing')
  const [, live = ''] = (await admin.get('/overview')).text.split('<div id="live"')
  t.match(live, 'First steps', 'also while the page is open')
  t.match(
    (await admin.get('/accounts/new')).text,
    'every account needs one. <a href="/packages/new">',
  )
  await call('PUT', '/api/v1/packages/starter', { body: {} })
  t.match(await words(), '3 of 5 done')
  const sent = { username: 'alice', password: 'correct horse battery', email: 'a@example.com' }
  await call('POST', '/api/v1/accounts', { body: { ...sent, package: 'starter' } })
  await pool.query(`
    insert into panel.webhooks (url, secret)
    values ('https://hooks.example/a-secret', sha512('x'))`)
  t.notMatch(await words(), 'First steps')
  t.match(await words(), 'Accounts 1 +1 this week')
  t.match(await words(), 'Nothing needs attention')
})

t.test('a webhook where nothing has ever arrived is named at once', async t => {
  const deliver = (state: string) =>
    pool.query(
      `insert into panel.deliveries (
         webhook_id, event_id, state, attempts, queue_job_id, created_at, finished_at)
       select w.id, (select min(id) from panel.events), $1, 3, 1, now(), now()
       from panel.webhooks w`,
      [state],
    )
  await deliver('failed')
  t.match(await words(), 'failing hooks.example every delivery has failed')
  const { rows } = await pool.query('select id from panel.webhooks')
  const page = async () => (await admin.get(`/hooks/webhooks/${rows[0].id}`)).text
  t.match(await page(), 'Every delivery there has failed')
  await deliver('delivered')
  t.match(await words(), 'Nothing needs attention')
  t.notMatch(await page(), 'Every delivery there has failed')
  await pool.query('delete from panel.deliveries')
})

t.test('a webhook is in trouble while its latest deliveries all fail', async t => {
  const deliver = (state: string, many: number, spanHours = 1) =>
    pool.query(
      `insert into panel.deliveries (
         webhook_id, event_id, state, attempts, queue_job_id, created_at, finished_at)
       select w.id, (select min(id) from panel.events), $1, 3, 1,
         clock_timestamp() - (n::float8 / $2) * $3 * interval '1 hour', now()
       from panel.webhooks w, generate_series(1, $2::int) n`,
      [state, many, spanHours],
    )
  const never = 'hooks.example every delivery has failed'
  const silent = 'its last 100 deliveries have all failed'
  const days = 'hooks.example every delivery has failed for days'
  const table: [string, () => Promise<unknown>, string | undefined][] = [
    ['none', async () => undefined, undefined],
    ['one that failed', () => deliver('failed', 1), never],
    ['99 that failed', () => deliver('failed', 99), never],
    ['100 that failed within an hour', () => deliver('failed', 100), silent],
    ['150 that failed within an hour', () => deliver('failed', 150), silent],
    ['150 that failed over a week', () => deliver('failed', 150, 168), days],
    [
      '99 that failed after one that arrived',
      async () => [await deliver('failed', 99), await deliver('delivered', 1, 2)],
      undefined,
    ],
    [
      '150 that failed after one that arrived',
      async () => [await deliver('failed', 150), await deliver('delivered', 1, 2)],
      silent,
    ],
    [
      'one that arrived after 150 that failed over a week',
      async () => [await deliver('failed', 150, 168), await deliver('delivered', 1, 0)],
      undefined,
    ],
  ]
  for (const [what, stage, trouble] of table) {
    await stage()
    const shown = await words()
    t.strictSame(
      [never, silent, days].filter(
        one => shown.includes(one) && !(one === never && shown.includes(days)),
      ),
      trouble === undefined ? [] : [trouble],
      what,
    )
    const concerns = await listConcerns(pool)
    t.equal(
      concerns.filter(({ check }) => check === 'webhooks/failing').length,
      trouble === undefined ? 0 : 1,
      `${what}: in the list that doctor and /metrics read too`,
    )
    await pool.query('delete from panel.deliveries')
  }
})

t.test('every tile leads to a list', async t => {
  for (const path of ['/overview', '/jobs/stats']) {
    const tiles = (await admin.get(path)).text.match(/<(a|div) class="stat"[^>]*>/g) ?? []
    t.ok(tiles.length >= 4, path)
    t.strictSame(
      tiles.filter(tile => !/href="[/#]/.test(tile)),
      [],
      path,
    )
    for (const tile of tiles) {
      const address = /href="([^"]*)"/.exec(tile)![1]!.replaceAll('&amp;', '&')
      const [page = '', part] = address.split('#')
      const { status, text } = await admin.get(page === '' ? path : page)
      t.equal(status, 200, address)
      if (part !== undefined) t.match(text, `id="${part}"`)
    }
  }
})

t.test('the failed jobs of a tile are those of the list behind it', async t => {
  await pool.query(`
    insert into panel.operations (name, state, error, is_cancelled, created_at, finished_at)
    select 'account/apply', 'failed', 'staged', is_cancelled, now() - made, now() - ended
    from (values
      (interval '5 min', interval '1 min', false),
      ('3 hours', '59 min', false),
      ('3 hours', '61 min', false),
      ('5 min', '1 min', true)) as one (made, ended, is_cancelled);
    insert into panel.deliveries (
      webhook_id, event_id, state, attempts, queue_job_id, created_at, finished_at)
    select w.id, (select min(id) from panel.events), 'failed', 3, 1, now() - ago, now() - ago
    from panel.webhooks w, unnest(array[interval '5 min', '2 hours']) ago`)
  for (const [path, label, count] of [
    ['/overview', 'Failed in the last hour', 2],
    ['/jobs/stats', 'Failed', 3],
  ] as const) {
    const { text } = await admin.get(path)
    const tile = new RegExp(
      `href="([^"]*)">\\s*<span class="label">${label}</span>\\s*<strong>(\\d+)`,
    )
    const [, address = '', shown] = tile.exec(text) ?? []
    t.equal(Number(shown), count, path)
    const list = (await admin.get(address.replaceAll('&amp;', '&'))).text
    t.equal(list.match(/<tr id="job-/g)?.length, count, address)
    t.match(list, '<option value="1h" selected>The last hour')
    t.match(list, /href="\/jobs\/retry\?state=failed&amp;[^"]*ended=1h/, 'what acts on the list')
  }
  await pool.query(`delete from panel.operations where error = 'staged'`)
  await pool.query('delete from panel.deliveries')
})

t.test('a matter that needs attention is named, and only to those it concerns', async t => {
  await pool.query(`
    insert into panel.disk_usage (account_id, bytes, measured_at)
    select id, 1040000000, now() from panel.accounts`)
  await pool.query(`update panel.accounts set is_applied = false`)
  await pool.query(
    `update panel.server set service_warnings = '{"websites": "nginx does not run"}'`,
  )
  await pool.query(`
    insert into panel.deliveries (
      webhook_id, event_id, state, attempts, queue_job_id, created_at, finished_at)
    select w.id, (select min(id) from panel.events), 'failed', 3, 1,
      now() - n * interval '1 hour', now()
    from panel.webhooks w, generate_series(1, 150) n`)
  const shown = await words()
  for (const what of [
    'nginx does not run',
    'failing hooks.example',
    'alice its disk is 96% full',
    'half done alice the last change is not applied yet',
    'down A service',
  ]) {
    t.match(shown, what)
  }
  t.notMatch(shown, 'a-secret')
  const listed = (text: string) =>
    [...text.matchAll(/<li id="(concern-[^"]*)"/g)].map(([, id]) => id).sort()
  const overview = listed((await admin.get('/overview')).text)
  t.equal(overview.length, 4)
  t.strictSame(
    overview.length,
    (await listConcerns(pool)).length,
    'doctor and /metrics have it too',
  )
  await makeReseller(pool, 'rita')
  const rita = await signIn(panel, 'rita')
  const own = await words(rita)
  t.match(own, 'Accounts 0 of 1,000')
  t.notMatch(own, /alice|nginx|hooks\.example|Needs attention/)
  await makeReseller(pool, 'planless', null)
  t.match(await words(await signIn(panel, 'planless')), 'You have no plan yet')
})

t.test('a newer release is named to administrators, and an older one never', async t => {
  const found = (version: string) =>
    keepNewest(pool, { version, notes: 'Better.' }).then(() => words())
  t.match(await found('99.0.0'), 'Version 99.0.0 is available. To install it, run panel update')
  t.notMatch(await words(await signIn(panel, 'rita')), 'is out')
  t.notMatch(await found('0.0.0'), 'is out')
})

t.test('the server’s load, memory and disks are there once it was looked at', async t => {
  t.notMatch(await words(), 'Memory')
  await askForSnapshot(pool)
  await until(async () => (await readSnapshot(pool)).taken_at !== null, 90_000)
  t.match(
    await words(),
    /Server View details Load [0-9.]+ on [0-9]+ cores? Memory .* of .* Disk \/ /,
  )
  const listed = async (path: string) =>
    [...(await admin.get(path)).text.matchAll(/<li id="(concern-[^"]*)"/g)].map(([, id]) => id)
  t.ok((await listed('/server')).includes('concern-check-backups-age'), 'what doctor found')
  // A service may come up between the two.
  await until(async () => {
    const [one, other] = await Promise.all([listed('/overview'), listed('/server')])
    return one.length === 6 && one.join() === other.slice(0, 6).join()
  })
})
