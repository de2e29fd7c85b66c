import { dirname } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { callPanel } from '../support/cli/run-panel.ts'

// Nothing of a paused task begins, whichever process starts or dies; what has begun ends.

const panel = await openPanel(t, { hasWorker: false })
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const jobsOf = (...words: string[]) => callPanel(['jobs', ...words], environment)
const post = (path: string, key: string, body?: object) =>
  panel.call('POST', `/api/v1/accounts${path}`, { key, ...(body === undefined ? {} : { body }) })
const rowOf = async (key: string) => {
  const { rows } = await panel.pool.query(
    `select o.id, o.state, o.starts, j.id as job
     from panel.operations o left join worker_queue.jobs j on j.id = o.queue_job_id
     where o.key = $1`,
    [key],
  )
  return rows[0]
}
/** Operations of rebuilds that have not begun or ended. */
const waiting = async () => {
  const { rows } = await panel.pool.query(
    `select o.starts, j.id as job
     from panel.operations o left join worker_queue.jobs j on j.id = o.queue_job_id
     where o.name = 'account/apply' and o.finished_at is null`,
  )
  return rows
}
let worker: Awaited<ReturnType<typeof panel.startWorker>>

t.before(async () => {
  worker = await panel.startWorker()
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  for (const username of ['alice', 'bob']) {
    const body = { ...alice, username, domain: `${username}.example` }
    await post('', `create ${username}`, body)
  }
})

t.test('nothing of a paused task begins, over restarts, and other tasks go on', async t => {
  const paused = await jobsOf('pause', 'account/suspend', '--json')
  t.match(paused.json(), { task: 'account/suspend', paused_at: /^2.*Z$/ })
  t.equal((await jobsOf('pause', 'account/suspend', '--json')).stdout, paused.stdout, 'twice')
  const suspend = post('/alice/suspend', 'suspend')
  // The worker has fetched it and left it.
  await until(async () => (await rowOf('suspend'))?.job === null)
  await worker.stop()
  worker = await panel.startWorker()
  t.equal((await post('/bob/unsuspend', 'other')).status, 200)
  t.match(await rowOf('suspend'), { state: 'queued', starts: 0, job: null })

  const { jobs, paused: all } = (await jobsOf('ls', '--state', 'queued', '--json')).json()
  t.match(jobs, [{ task: 'account/suspend', is_paused: true, account: 'alice' }])
  t.match(all, [paused.json()])
  t.match(await jobsOf('ls'), {
    stdout: / queued, paused +account\/suspend +alice /,
    stderr: /^panel: paused: account\/suspend since 2\S+ \S+\n$/,
  })
  t.match(await jobsOf('stats'), { stdout: /^paused: account\/suspend since /m })
  t.match((await jobsOf('watch', '--times', '1')).stdout, /^paused: account\/suspend since /m)

  const behind = post('/alice/unsuspend', 'behind')
  await until(async () => (await rowOf('behind'))?.state === 'blocked')
  const resumed = await jobsOf('resume', 'account/suspend', '--json')
  t.strictSame(resumed.json(), { task: 'account/suspend', was_paused: true })
  t.match(await suspend, { status: 200, body: { state: 'suspended' } })
  t.match(await behind, { status: 200, body: { state: 'active' } })
  t.match((await jobsOf('resume', 'account/suspend', '--json')).json(), { was_paused: false })
})

t.test('a paused operation can be cancelled', async t => {
  await jobsOf('pause', 'account/suspend')
  const suspend = post('/alice/suspend', 'cancelled')
  const { id } = await until(async () => {
    const row = await rowOf('cancelled')
    return row?.job === null && row
  })
  t.equal((await jobsOf('cancel', id)).code, 0)
  t.match(await suspend, { status: 500, body: { error: /nothing was done/ } })
  await jobsOf('resume', 'account/suspend')
  t.match(await post('/alice/suspend', 'cancelled'), { status: 200 }, 'the same key')
  t.match(await post('/alice/unsuspend', 'back'), { status: 200 })
})

t.test('a started operation ends, also with the next worker', async t => {
  await worker.stop()
  const args = ['test/support/programs/worker.ts', panel.databaseUrl, panel.root] as const
  const [file, ...given] = args
  const killed = await startProcess(t, file, [...given, 'websites', 'before'], untilStarted)
  const suspend = post('/alice/suspend', 'begun')
  await killed.exited
  await jobsOf('pause', 'account/suspend')
  t.match(await rowOf('begun'), { state: 'running', starts: 1 })
  worker = await panel.startWorker()
  t.match(await suspend, { status: 200, body: { state: 'suspended' } })
  const { id } = await rowOf('begun')
  const { attempts, steps } = (await jobsOf('show', id, '--json')).json()
  t.equal(attempts, 2)
  t.match(steps, [{ name: 'user' }], 'the steps of the start that lived')
  await jobsOf('resume', 'account/suspend')
})

for (const task of ['account/apply', 'maintenance/rebuild']) {
  t.test(`a rebuild is refused while ${task} is paused; one that has not begun waits`, async t => {
    await worker.stop()
    await panel.pool.query('select panel.rebuild_accounts(array(select id from panel.accounts))')
    await jobsOf('pause', task)
    worker = await panel.startWorker()
    const result = await callPanel(['ctl', 'rebuild'], environment)
    t.match(result, { code: 1, stderr: `panel: ${task} is paused; \`panel jobs resume ${task}\`` })
    // The worker has fetched each and left it, and the sweeper leaves them too.
    await until(async () => (await waiting()).every(({ job }) => job === null))
    await panel.pool.query('select panel.sweep()')
    t.strictSame(await waiting(), Array(2).fill({ starts: 0, job: null }))

    await jobsOf('resume', task)
    await until(async () => (await waiting()).length === 0)
    t.match(await callPanel(['ctl', 'rebuild'], environment), { code: 0 })
  })
}

t.test('maintenance is left out while it is paused, and recorded otherwise', async t => {
  const add = async (task: string, payload = {}) => {
    const { rows } = await panel.pool.query(
      `select id from worker_queue.add_job($1, $2::json, max_attempts => 2::smallint)`,
      [task, payload],
    )
    return rows[0].id as string
  }
  const job = async (id: string) => (await jobsOf('show', `worker:${id}`, '--json')).json()
  const gone = (id: string) =>
    until(async () => {
      const { rowCount } = await panel.pool.query('select from worker_queue.jobs where id = $1', [
        id,
      ])
      return rowCount === 0
    })
  await jobsOf('pause', 'maintenance/purge')
  const left = await add('maintenance/purge')
  await gone(left)
  t.match(await jobsOf('show', `worker:${left}`), { code: 1, stderr: /Unknown job/ })
  await jobsOf('resume', 'maintenance/purge')
  const done = await add('maintenance/purge')
  await gone(done)
  t.match(await job(done), {
    ...{ kind: 'maintenance', task: 'maintenance/purge', state: 'done', attempts: 1 },
    steps: [{ name: null, number: 1, outcome: 'done' }],
  })
  t.match(await jobsOf('retry', `worker:${done}`), { code: 1, stderr: /runs again on schedule/ })
  t.match(await jobsOf('cancel', `worker:${done}`), { code: 1, stderr: /pause its task instead/ })

  // Not enqueued by the panel itself: it fails, and its payload must not be shown.
  const bad = await add('package/apply', { packageId: 'a secret' })
  const failed = await until(async () => {
    const now = await job(bad)
    return now.state === 'queued' && now.attempts === 1 && now
  })
  t.match(failed, { error: String, steps: [{ outcome: 'failed' }] })
  t.notMatch(JSON.stringify([failed, await jobsOf('ls', '--json')]), 'a secret')
  t.match(await jobsOf('retry', `worker:${bad}`), { code: 0 })
  await until(async () => (await job(bad)).steps.length === 2)
  await panel.pool.query(
    `update worker_queue._private_jobs set run_at = now(), attempts = 1 where id = $1`,
    [bad],
  )
  await until(async () => (await job(bad)).state === 'failed')
  t.match((await jobsOf('ls', '--state', 'failed', '--json')).json().jobs[0], {
    id: `worker:${bad}`,
  })
  t.match(await jobsOf('retry', `worker:${bad}`), { code: 0 })
  await until(async () => (await job(bad)).steps.length === 4)
})
