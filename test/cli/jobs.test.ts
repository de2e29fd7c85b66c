import { dirname } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { jobs } from '../../src/queue/job-list.ts'
import { tasks, rebuildTask } from '../../src/model/jobs/job-tasks.ts'
import { alice, openPanel } from '../support/panel.ts'
import { barrier, until } from '../support/until.ts'
import { callPanel, runPanel } from '../support/cli/run-panel.ts'
import { noTerminal, openTerminal, panelAt } from '../support/cli/terminal.ts'

// Requests for an administrator: what waits, what was done, what may be cancelled.

let hold: ReturnType<typeof barrier> | undefined
let failing = ''
const panel = await openPanel(t, { hasWorker: false })
const startWorker = () =>
  panel.startWorker(async (step, work) => {
    if (step !== 'user') await hold?.pass()
    if (step === failing) throw new Error('staged \u001b[31mred')
    await work()
  })
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const jobsOf = (...words: string[]) => callPanel(['jobs', ...words], environment)
const listed = async (...words: string[]) => (await jobsOf('ls', '--json', ...words)).json().jobs
const idOf = async (key: string): Promise<string> => {
  const { rows } = await panel.pool.query('select id from panel.operations where key = $1', [key])
  return rows[0]?.id
}
/** Sends a request and waits for its row; returns its id and the pending answer. */
async function asked(method: string, path: string, key: string, body?: unknown) {
  const options = { key, ...(body === undefined ? {} : { body }) }
  const answer = panel.call(method, `/api/v1${path}`, options)
  return { answer, id: await until(() => idOf(key)) }
}

t.before(() => panel.call('PUT', '/api/v1/packages/starter', { key: 'package', body: {} }))

t.test('every task is of one kind of job', async t => {
  // A rebuild is many jobs of another task.
  t.strictSame([...tasks].sort(), [...Object.keys(jobs), rebuildTask].sort())
})

t.test('while all else is down it shows what waits, and cancels it without a trace', async t => {
  const create = await asked('POST', '/accounts', 'create', alice)
  const suspend = await asked('POST', '/accounts/alice/suspend', 'suspend', {})
  const all = await listed('--account', 'alice')
  t.match(all, [
    { id: suspend.id, kind: 'request', task: 'account/suspend', state: 'blocked', attempts: 0 },
    { id: create.id, task: 'account/create', state: 'queued', asked_by: 'admin, token test' },
  ])
  const queued = await listed('--state', 'queued', '--task', 'account/create', '--limit', '9')
  t.match(queued, [{ id: create.id }])
  t.equal(queued.length, 1)
  const shown = await runPanel(['jobs', 'show', create.id], environment)
  t.match(shown, { code: 0, stderr: '', stdout: /^task +account\/create\nstate +queued\n/m })
  t.match(shown.stdout, /^request +POST \/api\/v1\/accounts\n/m)
  t.notMatch(JSON.stringify([all, shown]), alice.password)

  t.match(await jobsOf('cancel', create.id, '--json'), {
    code: 0,
    stdout: `{"id":"${create.id}","task":"account/create","account":"alice","state":"cancelled"}\n`,
  })
  t.match(await create.answer, { status: 500, body: { error: /cancelled.*nothing was done/ } })
  const left = ['accounts', 'sites', 'site_names'].map(name => `select 1 from panel.${name}`)
  t.equal((await panel.pool.query(left.join(' union all '))).rowCount, 0)
  t.match(await jobsOf('cancel', create.id), { code: 1, stdout: '', stderr: /has ended\n$/ })
  t.match(await jobsOf('retry', create.id), { code: 1, stderr: /same Idempotency-Key\n$/ })

  await startWorker()
  t.match(await suspend.answer, { status: 404 }, 'what was behind it finds no account')
  const repeat = await panel.call('POST', '/api/v1/accounts', { key: 'create', body: alice })
  t.equal(repeat.status, 201, 'the same key may be used again')
  t.match((await jobsOf('show', create.id, '--json')).json(), { state: 'done', error: null })
})

t.test('shows each step with its time', async t => {
  const { steps, ...job } = (await jobsOf('show', await idOf('create'), '--json')).json()
  t.match(job, {
    kind: 'request',
    account: 'alice',
    attempts: 1,
    waited_ms: Number,
    ran_ms: Number,
  })
  t.match(steps[0], { name: 'user', at_ms: Number, ms: Number, outcome: 'done', error: null })
  t.strictSame(
    steps.map(({ name }: { name: string }) => name),
    ['user', 'quota', 'slice', 'home', 'php', 'websites', 'sftp', 'unlock', 'mail', 'cron'],
  )
  t.ok(steps.every(({ at_ms, ms }: Record<string, number>) => at_ms! >= 0 && ms! >= 0))
  t.match(await jobsOf('show', await idOf('create')), {
    stdout: /^home +\d[\d.]* m?s +\d[\d.]* m?s +done +-$/m,
  })
})

t.test('shows what failed, in words that move no cursor', async t => {
  failing = 'php'
  const body = { ...alice, username: 'bob', domain: 'bob.example' }
  const { status } = await panel.call('POST', '/api/v1/accounts', { key: 'bob', body })
  failing = ''
  t.equal(status, 500)
  const [job] = await listed('--state', 'failed')
  t.match(job, { id: await idOf('bob'), account: 'bob', error: 'staged \u001b[31mred' })
  const { steps } = (await jobsOf('show', job.id, '--json')).json()
  const failed = steps.filter(({ outcome }: { outcome: string }) => outcome === 'failed')
  t.match(failed, [{ name: 'php' }])
  t.match(steps.at(-1), { name: 'remove user', outcome: 'done' }, 'the undo’s steps follow')
  t.notMatch((await jobsOf('ls')).stdout, '\u001b')
  t.match(await jobsOf('retry', job.id), { code: 1, stdout: '', stderr: /same Idempotency-Key/ })
})

t.test('a failed task of the panel itself is started again', async t => {
  failing = 'php'
  await panel.pool.query(
    `select panel.begin_internal(id, 'account/apply') from panel.accounts
     where username = 'alice'`,
  )
  const { id } = await until(async () => {
    const [job] = await listed('--state', 'failed', '--task', 'account/apply')
    return job ?? false
  })
  failing = ''
  const retried = (await jobsOf('retry', id, '--json')).json()
  t.match(retried, { retry_of: id })
  t.not(retried.id, id)
  const job = async () => (await jobsOf('show', retried.id, '--json')).json()
  t.match(await job(), { task: 'account/apply', account: 'alice', asked_by: 'the panel' })
  await until(async () => (await job()).state === 'done')
  await panel.pool.query('update panel.operations set account_id = null where id = $1', [id])
  t.match(await jobsOf('retry', id), {
    code: 1,
    stderr: /was for an account that no longer exists/,
  })
})

t.test('a refusal shows its sentence, and a sealed answer nothing', async t => {
  await panel.call('POST', '/api/v1/accounts/missing/suspend', { key: 'missing' })
  t.match(await listed('--state', 'refused', '--task', 'account/suspend'), [
    { id: await idOf('missing'), error: /^Unknown account/, attempts: 0 },
  ])
  const login = await panel.call('POST', '/api/v1/accounts/alice/login', { key: 'login' })
  const secret = /\/sso\/([\w-]+)/.exec(login.text)?.[1] ?? 'none'
  const id = await idOf('login')
  const results = [await jobsOf('show', id, '--json'), await jobsOf('ls', '--json')]
  t.match(results[0], { code: 0, stdout: /"state":"done"/ })
  t.notMatch(JSON.stringify(results), secret)
  t.match(await jobsOf('retry', id), { code: 1, stderr: /was answered: its caller can repeat it/ })
})

t.test('a started job runs to its end; a job blocked by it can be cancelled', async t => {
  hold = barrier()
  const suspend = await asked('POST', '/accounts/alice/suspend', 'begun', {})
  await hold.stopped
  const password = { password: 'a password that is new' }
  const blocked = await asked('PUT', '/accounts/alice/password', 'behind', password)
  const last = await asked('POST', '/accounts/alice/unsuspend', 'last')
  t.match(await jobsOf('cancel', suspend.id), {
    code: 1,
    stderr: /has started and cannot be interrupted/,
  })
  t.match(await jobsOf('cancel', blocked.id), { code: 0, stdout: /^state +cancelled$/m })
  t.match(await blocked.answer, { status: 500, body: { error: /nothing was done/ } })
  t.match(await jobsOf('retry', suspend.id), { code: 1, stderr: /is in progress/ })
  t.match(await jobsOf('retry', last.id), { code: 1, stderr: /still waiting for its turn/ })
  t.match(await listed('--state', 'running'), [{ id: suspend.id, attempts: 1, finished_at: null }])
  const { steps } = (await jobsOf('show', suspend.id, '--json')).json()
  t.match(steps, [
    { name: 'user', outcome: 'done' },
    { name: 'lock', at_ms: Number, ms: Number, outcome: 'running', error: null },
  ])
  t.match(await jobsOf('show', suspend.id), { stdout: /^lock +\d+ m?s +\d+.* +running +-$/m })
  hold.open()
  hold = undefined
  t.match(await suspend.answer, { status: 200, body: { state: 'suspended' } })
  t.match(await last.answer, { status: 200, body: { state: 'active' } })
})

t.test('reports wrong usage, an unknown job, and a database that is down', async t => {
  const unknown = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  for (const word of ['show', 'retry', 'cancel']) {
    for (const id of [unknown, 'hook:99', 'worker:99', 'courier:99']) {
      const result = await jobsOf(word, id)
      const stderr = /^panel: (Unknown job: \S+|The maintenance \S+ would.*)\n$/
      t.match(result, { code: 1, stdout: '', stderr }, `${word} ${id}`)
    }
    t.match(await jobsOf(word, '12'), { code: 2, stderr: /ID must be an id/ })
  }
  for (const words of [
    ['ls', '--state', 'dead'],
    ['ls', '--task', 'account/steal'],
    ['ls', '--limit', '0'],
    ['pause', 'account/steal'],
    ['resume', 'request'],
    ['watch', '--interval', '0'],
  ]) {
    t.match(await jobsOf(...words), { code: 2, stdout: '' }, words.join(' '))
  }
  const away = { ...environment, DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' }
  for (const words of [['ls'], ['stats'], ['watch', '--times', '1'], ['pause', 'hook/run']]) {
    const result = await callPanel(['jobs', ...words], away)
    t.match(result, { code: 1, stdout: '', stderr: /The database cannot be reached/ })
  }
})

t.test('stats draws the last hour', async t => {
  const stats = (await jobsOf('stats', '--json')).json()
  const create = stats.tasks.find(({ task }: { task: string }) => task === 'account/create')
  t.match(create, { ended: 2, failed: 1, waiting: 0, running: 0, ran_ms: { p50: Number } })
  t.ok(create.waited_ms.p50 <= create.waited_ms.p99)
  t.equal(stats.minutes.length, 60)
  const sum = stats.minutes.reduce((all: number, { ended }: { ended: number }) => all + ended, 0)
  t.equal(sum, stats.total.ended)
  t.strictSame(stats.processes, { worker: true, courier: false })
  const { code, stdout, stderr } = await jobsOf('stats')
  t.match({ code, stderr }, { code: 0, stderr: 'panel: the courier is not running\n' })
  t.match(stdout, /█/)
  t.match(stdout, /^account\/create +2 +1 /m)
  t.ok(stdout.split('\n').every(line => line.length <= 80))
})

t.test('watch without a terminal prints what it sees, line by line', async t => {
  const result = await jobsOf('watch', '--times', '1')
  t.match(result, { code: 0, stderr: '', stdout: /^[0-9a-f]{8} +done +account\/create +alice /m })
  t.notMatch(result.stdout, '\u001b')
  const looks = (await jobsOf('watch', '--times', '1', '--json')).json()
  t.match(looks, { stats: { total: Object }, jobs: Array, notice: null })
})

t.test('watch fits a terminal of 80 columns, and gives it back', { skip: noTerminal }, async t => {
  await panel.pool.query(
    `update panel.operations set error = repeat('不行 ', 60) where key = 'bob'`,
  )
  const { answer, ended, seen } = openTerminal(t, panelAt('jobs watch'), environment)
  await answer('不行', 'q')
  t.equal(await ended(), 0)
  t.ok(seen().endsWith('\u001b[?25h\u001b[?1049l'), 'the cursor and the old screen are back')
  const lines = stripVTControlCharacters(seen()).split(/\r*\n/)
  t.match(
    lines.find(line => line.includes('account/create')),
    /^[0-9a-f]{8} +\w+ +account\/create +\w+ /,
  )
  // Each of these characters takes two columns.
  const tooLong = lines.filter(line => line.replace(/[不行]/g, '__').length > 80)
  t.strictSame(tooLong, [])
})
