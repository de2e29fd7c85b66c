import { randomUUID } from 'node:crypto'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { barrier, until } from '../support/until.ts'
import { cookieOf } from '../support/web/browser.ts'
import { signIn } from '../support/web/signed-in.ts'

let hold: ReturnType<typeof barrier> | undefined
let failing = ''
const panel = await openPanel(t, {
  observe: async (step, work) => {
    await hold?.pass()
    if (step === failing) throw new Error('staged <script>alert(1)</script>')
    await work()
  },
})
const { pool, call } = panel
const admin = await signIn(panel)
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

const idsOn = async (address: string): Promise<string[]> => {
  const { text } = await admin.get(address)
  return [...text.matchAll(/<tr id="job-([^"]+)"/g)].map(([, id]) => id!)
}
const idOf = async (key: string): Promise<string> =>
  (await pool.query('select id from panel.operations where key = $1', [key])).rows[0]?.id
/** Begins an operation of the panel's own, which fails. */
async function failed(): Promise<string> {
  failing = 'php'
  await pool.query(
    `select panel.begin_internal(id, 'account/apply') from panel.accounts where username = 'alice'`,
  )
  const { id } = await until(async () => {
    const { rows } = await pool.query(
      `select id from panel.operations
       where name = 'account/apply' and state = 'failed' order by created_at desc limit 1`,
    )
    return rows[0] ?? false
  })
  failing = ''
  return id
}

t.test('jobs are listed by state, task, account and text, a page at a time', async t => {
  const [suspend, unsuspend] = [randomUUID(), randomUUID()]
  await call('POST', '/api/v1/accounts/alice/suspend', { key: suspend })
  await call('POST', '/api/v1/accounts/alice/unsuspend', { key: unsuspend })
  await call('POST', '/api/v1/accounts/missing/suspend', { key: 'refused' })
  const all = await idsOn('/jobs')
  t.equal(all[1], await idOf(unsuspend), 'the newest first')
  t.strictSame(await idsOn('/jobs?task=account/suspend&state=done'), [await idOf(suspend)])
  t.strictSame(await idsOn('/jobs?state=refused'), [await idOf('refused')])
  t.strictSame(await idsOn('/jobs?state=blocked,queued'), [])
  t.equal((await idsOn('/jobs?account=alice')).length, 3)
  t.strictSame(await idsOn(`/jobs?q=${await idOf(suspend)}`), [await idOf(suspend)])
  t.match((await admin.get('/jobs?q=nothing')).text, 'No matching jobs')
  await pool.query(`
    insert into panel.operations (name, state, status, body, created_at, started_at, finished_at)
    select 'account/apply', 'done', 200, '{}', at, at, at
    from generate_series(1, 120) n cross join lateral (
      select now() - interval '2 hours' - n * interval '1 s' as at) a`)
  const first = await admin.get('/jobs?task=account/apply')
  const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const [one, two] = [await idsOn('/jobs?task=account/apply'), await idsOn(next)]
  t.strictSame([one.length, two.length], [50, 50])
  t.equal(new Set([...one, ...two]).size, 100)
  const apply = '/jobs?task=account/apply'
  t.strictSame(await idsOn(`${apply}&ended=1h`), [])
  t.equal((await idsOn(`${apply}&ended=24h&kind=request`)).length, 50)
  t.strictSame(await idsOn(`${apply}&kind=hook+run`), [])
  t.match((await admin.get(`${apply}&ended=24h`)).text, 'ended=24h&amp;after=', 'the next page')
  await pool.query(`delete from panel.operations where created_at < now() - interval '1 hour'`)
  for (const [query, why] of Object.entries({
    'state=none': 'state must be one of blocked, queued',
    'task=rm': 'task must be one of account/create',
    'ended=1': 'ended must be one of 1h, 24h, 7d',
    'kind=x': 'kind must be one of request, delivery, hook run, maintenance',
    'account=%01': 'account must have no control characters',
    'after=x': 'after must be an id',
    [`q=${'x'.repeat(201)}`]: 'q must have at most 200 characters',
  })) {
    t.match(await admin.get(`/jobs?${query}`), { status: 400, text: why }, query)
  }
  t.equal((await admin.get('/jobs?q=%00')).status, 404)
  t.equal((await admin.get(`/jobs?after=${randomUUID()}`)).status, 404)
})

t.test('a job is shown with its steps and each start, and hostile words stay words', async t => {
  const id = await failed()
  const { text, status } = await admin.get(`/jobs/${id}`)
  t.equal(status, 200)
  t.match(text, /Apply account.*<strong>alice<\/strong>/s)
  t.match(text, 'staged &lt;script&gt;')
  t.notMatch(text, '<script>alert')
  for (const step of ['user', 'php']) t.match(text, `<span class="name">${step}`)
  t.match(text, `action="/jobs/${id}/retry"`)
  t.match((await admin.get(`/jobs/${id.slice(0, 8)}`)).text, id, 'by its beginning, too')
  for (const path of [
    randomUUID(),
    'x',
    'hook:1',
    'hook:0',
    'worker:99',
    '%00',
    'hook:9'.repeat(9),
  ]) {
    t.equal((await admin.get(`/jobs/${path}`)).status, 404, path)
  }
})

t.test('a failed job is retried once; one that its caller has to repeat is refused', async t => {
  const id = await failed()
  const again = await admin.submit(`/jobs/${id}/retry`)
  t.equal(again.status, 303)
  const next = again.headers.location!.replace('/jobs/', '')
  t.not(next, id)
  await until(async () => /Ended|done/.test((await admin.get(`/jobs/${next}`)).text))
  const refused = await admin.submit(`/jobs/${await idOf('refused')}/retry`)
  t.match(refused, { status: 422, text: /was answered: its caller can repeat it/ })
  t.equal((await admin.submit(`/jobs/${randomUUID()}/retry`)).status, 404)
  const { rows } = await pool.query(
    `select channel, who, about from panel.history where action = 'job/retry'`,
  )
  t.strictSame(rows, [{ channel: 'page', who: 'admin', about: id }])
})

t.test('a running job is followed, and a blocked one can be cancelled', async t => {
  hold = barrier()
  const running = call('POST', '/api/v1/accounts/alice/suspend', { key: 'running' })
  await hold.stopped
  const waiting = call('POST', '/api/v1/accounts/alice/unsuspend', { key: 'waiting' })
  const id = await until(() => idOf('waiting'))
  const follow = await admin.get(`/jobs/${await idOf('running')}`)
  t.match(follow.text, /hx-trigger="every 1s"/)
  t.match(follow.text, 'In progress.')
  t.match(follow.text, '<noscript><meta http-equiv="refresh" content="2">')
  t.match(await admin.submit(`/jobs/${await idOf('running')}/cancel`), {
    status: 422,
    text: /has started and cannot be interrupted/,
  })
  t.match((await admin.get(`/jobs/${id}`)).text, /\/cancel".*Waiting for its turn/s)
  t.match((await admin.get(`/jobs/${id}/cancel`)).text, 'account/unsuspend of alice, blocked')
  const cancelled = await admin.submit(`/jobs/${id}/cancel`)
  t.match(cancelled, { status: 303, headers: { location: `/jobs/${id}` } })
  t.match(await waiting, { status: 500, body: { error: /cancelled/ } })
  t.match(await admin.submit(`/jobs/${id}/cancel`), { status: 422, text: /has ended/ })
  hold.open()
  hold = undefined
  await running
  await call('POST', '/api/v1/accounts/alice/unsuspend')
})

t.test('several are retried or cancelled by what a list shows', async t => {
  await pool.query(`delete from panel.operations where state = 'failed'`)
  const id = await failed()
  const form = await admin.get('/jobs/retry?state=failed&task=account/apply')
  const chosen = ' (selected by state failed, task account/apply).'
  t.match(form.text, `1 job will be retried${chosen}`)
  t.match((await admin.get('/jobs/retry')).text, '1 job will be retried.')
  const none = await admin.get('/jobs/retry?task=account/suspend')
  t.match(none.text, 'There is no job that can be retried (selected by task account/suspend)')
  t.notMatch(none.text, 'Retry jobs')
  t.match((await admin.get('/jobs/retry?state=failed&ended=1h')).text, '1 job will be retried')
  await pool.query(`update panel.operations set finished_at = now() - interval '2 hours'
    where state = 'failed'`)
  t.match((await admin.get('/jobs/retry?state=failed&ended=1h')).text, 'There is no job that')
  const done = await admin.submit('/jobs/retry', { state: 'failed', task: 'account/apply' })
  t.equal(done.status, 303)
  t.match(done.headers.location, /^\/jobs\/retried\?at=\d+&state=failed&task=account%2Fapply$/)
  const shownEnd = async () => (await admin.get(String(done.headers.location))).text
  await until(async () => /1 of 1 job ended/.test(await shownEnd()))
  t.match(await shownEnd(), /1 done · 0 failed again · 0 waiting/)
  t.match((await admin.get('/jobs/retried?at=1')).text, 'No jobs of this retry are kept')
  t.equal((await admin.get('/jobs/retried?at=x')).status, 400)
  t.equal((await idsOn('/jobs?task=account/apply')).filter(one => one !== id).length >= 1, true)
  await pool.query(`insert into panel.operations (token_id, key, fingerprint, name, state, error,
      finished_at)
    select min(id), 'seen', sha256('x'), 'account/suspend', 'failed', 'x', now() from panel.tokens`)
  t.match(await admin.submit('/jobs/retry', { state: 'failed', task: 'account/suspend' }), {
    status: 422,
    text: /Nothing was changed: .*can repeat it with the same Idempotency-Key/,
  })
  await pool.query(`delete from panel.operations where name = 'account/apply'`)
  const due = await failed()
  const key = randomUUID()
  const send = () => admin.submit('/jobs/retry', { state: 'failed' }, { key })
  const partly = await send()
  t.match(partly, { status: 303, headers: { location: /^\/jobs\/retried\?at=\d+&state=failed$/ } })
  const output = cookieOf(partly)
  const { text } = await admin.get('/jobs', { cookie: `${admin.cookie}; ${output}` })
  const notice = /<div class="notice warn".*?<\/div>/s.exec(text)?.[0]
  t.match(notice, /1 job done, 1 not: .*can repeat it with the same Idempotency-Key\./)
  t.equal(cookieOf(await send()), output, 'sent twice, it is shown twice, and done once')
  const { rows } = await pool.query(
    `select count(*)::int from panel.history where action = 'job/retry' and about = $1`,
    [due],
  )
  t.strictSame(rows, [{ count: 1 }], 'a reported success is done')
  t.equal((await admin.submit('/jobs/retry', { state: 'nonsense' })).status, 400)
})

t.test('a task is paused and resumed, repeatedly', async t => {
  const send = async (path: string, task: string) => {
    const { status, headers } = await admin.submit(path, { task })
    return [status, headers.location]
  }
  t.strictSame(await send('/jobs/pause', 'account/create'), [303, '/jobs/stats'])
  t.strictSame(await send('/jobs/pause', 'account/create'), [303, '/jobs/stats'])
  for (const path of ['/jobs', '/jobs/stats']) {
    t.match((await admin.get(path)).text, '<strong>account/create</strong> has been paused')
  }
  const created = call('POST', '/api/v1/accounts', {
    key: 'paused',
    body: { ...alice, username: 'bob', domain: 'bob.example' },
  })
  const id = await until(() => idOf('paused'))
  t.match((await admin.get(`/jobs/${id}`)).text, 'This job waits because account/create is paused')
  t.strictSame(await send('/jobs/resume', 'account/create'), [303, '/jobs/stats'])
  t.strictSame(await send('/jobs/resume', 'account/create'), [303, '/jobs/stats'])
  t.equal((await created).status, 201)
  t.equal((await send('/jobs/pause', 'rm -rf'))[0], 422)
  t.equal((await pool.query('select from panel.paused_tasks')).rowCount, 0)
})

t.test('the last hour has numbers, a chart, and the processes', async t => {
  const { text } = await admin.get('/jobs/stats')
  for (const shown of ['Queued, p50', 'p95', 'Jobs ended per minute', 'account/suspend']) {
    t.match(text, shown)
  }
  t.match(text, /<strong>worker<\/strong>.*up.*<strong>courier<\/strong>.*down/s)
})

t.test('the search finds operations by their ids', async t => {
  const id = await idOf('running')
  const to = async (q: string) => (await admin.get(`/search?q=${q}`)).headers.location
  t.equal(await to(id), `/jobs/${id}`)
  t.equal(await to(id.slice(0, 9)), `/jobs/${id}`)
  t.equal(await to('hook:999999'), '/accounts?q=hook%3A999999')
})

t.test('resellers see no jobs but their own, and change none', async t => {
  await makeReseller(pool, 'bigshop')
  const reseller = await signIn(panel, 'bigshop')
  const id = await failed()
  for (const path of ['/jobs', '/jobs/stats', '/jobs/pause', '/jobs/resume', '/jobs/retry']) {
    t.equal((await reseller.get(path)).status, 403, path)
  }
  t.equal((await reseller.get(`/jobs/${id}`)).status, 404)
  for (const path of [`/jobs/${id}/retry`, `/jobs/${id}/cancel`, '/jobs/cancel', '/jobs/pause']) {
    t.equal((await reseller.submit(path, { task: 'account/create' })).status, 403, path)
  }
  t.equal(
    (await reseller.get(`/search?q=${id.slice(0, 9)}`)).headers.location?.startsWith('/accounts'),
    true,
  )
  t.equal((await pool.query('select from panel.paused_tasks')).rowCount, 0)
})
