import { dirname } from 'node:path'
import t from 'tap'
import { courierOn, hurryRetries, webhookTo } from '../support/courier.ts'
import { openHooks } from '../support/hooks/hooks.ts'
import { openGate } from '../support/gate.ts'
import { alice } from '../support/panel.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { noTerminal, openTerminal, panelAt } from '../support/cli/terminal.ts'

// Many jobs: finding those that matter, and doing something to all of them.

const gate = openGate()
const { panel, pool, script, ended } = await openHooks(t, { observe: gate.observe })
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const jobsOf = (...words: string[]) => callPanel(['jobs', ...words], environment)
type Listed = {
  id: string
  state: string
  task: string
  created_at: string
  waits_for: string | null
}
const listed = async (...words: string[]): Promise<Listed[]> =>
  (await jobsOf('ls', '--json', ...words)).json().jobs
const idsOf = (jobs: Listed[]) => jobs.map(({ id }) => id)
const receiver = await receiverFor(t)
const names = ['alice', 'bob', 'carol']
const deliveries = ['--task', 'webhook/deliver'] as const

t.before(async () => {
  script('account.created', '10-note', 'cat >/dev/null; echo noted; echo broken >&2; exit 3')
  for (const path of ['/a', '/b']) await webhookTo(pool, `${receiver.url}${path}`)
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  for (const username of names) {
    const body = { ...alice, username, domain: `${username}.example` }
    t.equal((await panel.call('POST', '/api/v1/accounts', { key: username, body })).status, 201)
  }
  await ended()
})

t.test('lists several states, what was made since, and what a text is in', async t => {
  const both = await listed('--state', 'queued', '--state', 'failed')
  t.strictSame(new Set(both.map(({ state }) => state)), new Set(['queued', 'failed']))
  t.strictSame(idsOf(await listed('--state', 'queued,failed')), idsOf(both))
  await pool.query(
    `update panel.operations set created_at = now() - interval '3 hours' where key = 'alice'`,
  )
  const creates = ['--task', 'account/create']
  t.equal((await listed(...creates)).length, 3)
  t.equal((await listed(...creates, '--since', '2h')).length, 2)
  t.equal((await listed(...creates, '--since', '4h')).length, 3)
  t.equal((await listed(...creates, '--since', '2099-01-01')).length, 0)
  await pool.query(
    `update panel.operations set finished_at = now() - interval '2 hours' where key = 'alice'`,
  )
  t.equal((await listed(...creates, '--ended-since', '1h')).length, 2)
  t.equal((await listed(...creates, '--ended-since', '3h')).length, 3)
  t.equal((await listed(...creates, '--kind', 'request')).length, 3)
  t.equal((await listed(...creates, '--kind', 'delivery')).length, 0)
  t.equal((await listed(...creates, '--search', 'CAROL')).length, 1)
  t.equal((await listed('--search', 'token test', ...creates)).length, 3, 'who asked')
  t.equal((await listed('--search', '10-note: ')).length, 3, 'an error')
  t.equal((await listed('--search', '%')).length, 0, 'a text, not a pattern')
  for (const words of [
    ['--since', 'soon'],
    ['--since', '2030-02-30'],
    ['--ended-since', '1 hour'],
    ['--kind', 'job'],
    ['--state', 'done,dead'],
  ]) {
    const stderr = new RegExp(`${words[0]} must be`)
    t.match(await jobsOf('ls', ...words), { code: 2, stdout: '', stderr }, words.join(' '))
  }
})

t.test('a refusal is listed under the account that it names', async t => {
  t.match(await panel.call('POST', '/api/v1/accounts/dave/suspend'), { status: 404 })
  const body = { ...alice, username: 'dave', package: 'unknown' }
  t.match(await panel.call('POST', '/api/v1/accounts', { body }), { status: 400 })
  const tasks = (await listed('--account', 'dave')).map(({ task, state }) => `${task} ${state}`)
  t.strictSame(tasks, ['account/create refused', 'account/suspend refused'])
  t.match(await panel.call('POST', '/api/v1/accounts/--no-name/suspend'), { status: 404 })
  t.match((await listed('--limit', '1'))[0], { account: null, error: 'Unknown account' })
})

t.test('pages through all of them, each once, also those of one moment', async t => {
  const all = idsOf(await listed())
  await pool.query(
    'update panel.deliveries set created_at = (select max(created_at) from panel.deliveries)',
  )
  const seen: string[] = []
  let after: string | null = null
  do {
    const page: { jobs: Listed[]; next: string | null } = (
      await jobsOf('ls', '--json', '--limit', '4', ...(after === null ? [] : ['--after', after]))
    ).json()
    seen.push(...idsOf(page.jobs))
    after = page.next
  } while (after !== null)
  t.strictSame(seen, [...new Set(seen)])
  t.strictSame([...seen].sort(), [...all].sort())
  t.match(await jobsOf('ls', '--limit', '2'), {
    stderr: /^panel: there may be more: --after \S+\n$/,
  })
  const unknown = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  t.match(await jobsOf('ls', '--after', unknown), { code: 1, stderr: /Unknown job/ })
})

t.test('takes the beginning of an id, where one alone begins so', async t => {
  const [first] = await listed('--state', 'done', '--task', 'account/create')
  const shown = (await jobsOf('show', first!.id.slice(0, 8), '--json')).json()
  t.equal(shown.id, first!.id)
  t.match(await jobsOf('show', first!.id.slice(0, 7)), { code: 2, stderr: /ID must be an id/ })
  t.match(await jobsOf('show', 'ffffffff'), { code: 1, stderr: 'panel: Unknown job: ffffffff\n' })
  const twins = ['11111111-2222-4333-8444-555555555555', '11111111-2222-4333-8444-555555555556']
  const twin = `insert into panel.operations (id, username, state, status, body, name, finished_at)
    values ($1, 'alice', 'done', 200, 'x', 'account/apply', now())`
  for (const id of twins) await pool.query(twin, [id])
  t.match(await jobsOf('show', '11111111'), { code: 1, stderr: /More than one id begins with/ })
  t.equal((await jobsOf('show', twins[0]!.slice(0, 35) + '5', '--json')).json().id, twins[0])
  await pool.query('delete from panel.operations where id = any ($1)', [twins])
})

t.test('shows what a hook script has written, and where a delivery went', async t => {
  const [run] = await listed('--task', 'hook/run', '--search', 'carol')
  const { steps } = (await jobsOf('show', run!.id, '--json')).json()
  t.match(steps, [{ name: '10-note', outcome: 'failed', output: 'noted\nbroken\n' }])
  t.match(await jobsOf('show', run!.id), {
    stdout: /\n10-note:\n {4}noted\n {4}broken\n$/,
  })
  const [delivery] = await listed(...deliveries, '--search', 'bob')
  const sent = (await jobsOf('show', delivery!.id, '--json')).json()
  t.match(sent, { event: /created$/, webhook_id: String, url: /\/[ab]$/, steps: [] })
  t.match(await jobsOf('show', delivery!.id), { stdout: /^url +http:\/\/127\.0\.0\.1:\d+\/[ab]$/m })
})

t.test('says what a blocked job waits for, and what each worker does', async t => {
  gate.close()
  const open = () => listed('--account', 'bob', '--state', 'blocked,running')
  const calls: Promise<unknown>[] = []
  for (const word of ['suspend', 'unsuspend', 'suspend']) {
    calls.push(panel.call('POST', `/api/v1/accounts/bob/${word}`, { body: {} }))
    await until(async () => (await open()).length === calls.length)
  }
  await gate.reached()
  const blocked = await open()
  const [last, middle, first] = blocked
  t.match(blocked, [{ waits_for: middle!.id }, { waits_for: first!.id }, { waits_for: null }])
  // A request that came first may have lost its turn to one that came at the same moment.
  const turn = `update panel.operations set arrival = arrival + 100 where id = $1`
  await pool.query('alter table panel.operations alter arrival set generated by default')
  await pool.query(turn, [first!.id])
  t.match(await open(), [{ waits_for: middle!.id }, { waits_for: first!.id }, { waits_for: null }])
  t.match(await jobsOf('show', last!.id), { stdout: new RegExp(`^waits for +${middle!.id}$`, 'm') })
  t.match(await jobsOf('ls', '--state', 'blocked'), {
    stdout: new RegExp(` waits for ${first!.id}$`, 'm'),
  })

  const { workers } = (await jobsOf('stats', '--json')).json()
  t.match(workers, [{ name: 'worker', jobs: [{ id: first!.id, account: 'bob', ran_ms: Number }] }])
  const now = new RegExp(`^worker +up .*, ${first!.task} bob \\(\\d.*\\)\\ncourier +down$`, 'm')
  t.match((await jobsOf('stats')).stdout, now)
  t.match((await jobsOf('watch', '--times', '1')).stdout, now)
  const watched = (await jobsOf('watch', '--times', '1', '--json', '--state', 'blocked')).json()
  t.strictSame(idsOf(watched.jobs), [last!.id, middle!.id])

  const some = ['--account', 'bob', '--task', 'account/suspend'] as const
  t.match(await jobsOf('cancel', ...some), {
    code: 1,
    stdout: '',
    stderr: /Cancel 1 job\. To confirm without a terminal, use --yes/,
  })
  t.match(await jobsOf('cancel', '--account', 'bob', '--state', 'blocked,running'), {
    code: 1,
    stderr: /Cancel 2 jobs\. 1 other will be refused\. To confirm without a terminal, use --yes/,
  })
  const result = await jobsOf('cancel', ...some, '--yes', '--json')
  t.match(result, { code: 0, stderr: 'panel: 1 job cancelled, 0 refused\n' })
  t.match(result.json(), { cancelled: [{ state: 'cancelled', account: 'bob' }], refused: [] })
  t.equal(result.json().cancelled[0].id, last!.id)
  gate.open()
  await Promise.all(calls)
})

t.test('retries all that failed, once, and says what is refused', async t => {
  receiver.answer = (_request, response) => response.writeHead(500).end('no room')
  const courier = await courierOn(t, panel.databaseUrl)
  const failed = await until(async () => {
    await hurryRetries(pool)
    const open = await listed(...deliveries, '--state', 'queued,running,blocked')
    return open.length === 0 && (await listed(...deliveries, '--state', 'failed'))
  })
  t.match((await jobsOf('show', failed[0]!.id)).stdout, /\nattempt 3:\n {4}no room\n$/)
  receiver.answer = (_request, response) => response.writeHead(204).end()
  const words = ['retry', ...deliveries, '--yes', '--json']
  const retried = (await jobsOf(...words)).json()
  t.strictSame(
    retried.retried.map((one: { retry_of: string }) => one.retry_of).sort(),
    idsOf(failed).sort(),
  )
  await until(async () => (await listed(...deliveries, '--state', 'done')).length === failed.length)
  t.match((await jobsOf(...words)).json(), { retried: [], refused: [] }, 'not a second time')
  await courier.stop()

  await pool.query(`update panel.operations set state = 'failed', status = null, body = null
    where key = 'carol'`)
  t.match(await jobsOf('retry', '--account', 'carol'), {
    stderr: /Retry 1 job\. 1 other will be refused\. To confirm without a terminal, use --yes/,
  })
  const refused = await jobsOf('retry', '--account', 'carol', '--task', 'account/create', '--yes')
  t.match(refused, {
    code: 1,
    stdout: /same Idempotency-Key$/m,
    stderr: /0 jobs retried, 1 refused/,
  })
  await pool.query(`update panel.deliveries set state = 'failed' where redelivery_of is not null`)
  await pool.query(`update panel.webhooks set removed_at = now() where url like '%/a'`)
  const half = failed.length / 2
  t.match(await jobsOf('retry', ...deliveries), {
    stderr:
      `Retry ${half} jobs. ${half} others will be refused. ` +
      'To confirm without a terminal, use --yes',
  })
  t.match(await jobsOf('retry'), { code: 2, stderr: /Give an ID or one of --state/ })
  t.match(await jobsOf('retry', 'hook:1', '--state', 'failed'), {
    code: 2,
    stderr: /cannot be combined/,
  })
})

t.test(
  'asks at a terminal with the count, and does nothing without a yes',
  { skip: noTerminal },
  async t => {
    const failed = await listed('--task', 'hook/run', '--state', 'failed')
    const {
      answer,
      ended: over,
      seen,
    } = openTerminal(t, panelAt('jobs retry --task hook/run'), environment)
    await answer(`Retry ${failed.length} jobs. Type yes to continue`, 'no\r')
    t.equal(await over(), 1)
    t.match(seen(), /nothing was changed/)
    t.strictSame(idsOf(await listed('--task', 'hook/run', '--state', 'failed')), idsOf(failed))
  },
)
