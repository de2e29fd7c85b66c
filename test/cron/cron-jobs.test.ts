import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { readCrontabs } from '../../src/host/cron-jobs/own-crontabs.ts'
import { openMachine } from '../../src/host/machine.ts'
import { recordCrontabs } from '../../src/model/cron-jobs/own-crontabs.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { makeReseller } from '../support/reseller.ts'

// Cron jobs of accounts by the API and by commands, on the sandbox, which runs none of them.

let failing: (step: string) => boolean = () => false
const panel = await openPanel(t, {
  observe: async (step, work) => {
    if (failing(step)) throw new Error('staged')
    await work()
  },
})
const { pool, root } = panel
const permission = 'Provisioning and hosting'
const { token } = await createToken(pool, { owner: 'admin', name: 'Hosting', permission })
const call = (method: string, path = '', body?: object, more = {}) =>
  panel.call(method, `/api/v1/accounts/alice/cron-jobs${path}`, { token, body, ...more })
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
const command = (...words: string[]) => callPanel(['cron', ...words], environment)
const rebuild = () => callPanel(['ctl', 'rebuild', 'alice'], environment)

await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const { rows } = await pool.query<{ id: string; uid: number }>('select id, uid from panel.accounts')
const { id: accountId, uid } = rows[0]!
const crontabFile = join(root, `etc/cron.d/panel-${uid}`)
const commandsFile = join(root, `etc/panel/cron/${uid}`)
const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
const lines = () => (read(crontabFile) ?? '').split('\n').filter(line => / root perl /.test(line))
const listed = async () => (await call('GET')).body.cron_jobs
const job = { schedule: '*/15 * * * MON', command: 'php "a b".php; echo $HOME' }
let id = ''

t.test('a job that is added is cron’s to start, once for its key', async t => {
  t.strictSame(await listed(), [])
  t.notOk(existsSync(crontabFile))
  const added = await call('POST', '', job, { key: 'one' })
  t.equal(added.status, 201, added.text)
  id = added.body.id
  t.strictSame(added.body, {
    ...{ id, schedule: '*/15 * * * 1', in_words: 'every 15 minutes on Mondays' },
    ...{ command: job.command, is_too_frequent: false, running_since: null, last_run: null },
  })
  t.equal(added.headers.get('location'), `/api/v1/accounts/alice/cron-jobs/${id}`)
  t.equal((await call('POST', '', job, { key: 'one' })).text, added.text)
  t.strictSame(await listed(), [added.body])
  t.strictSame(lines(), [`*/15 * * * 1 root perl /etc/panel/cron/run ${uid} ${id}`])
  t.equal(read(commandsFile), `timeout 43200\n${id} ${job.command}\n`)
  t.equal(statSync(commandsFile).mode & 0o777, 0o640)
  const { rows } = await pool.query('select is_applied from panel.accounts')
  t.strictSame(rows, [{ is_applied: true }])
})

t.test('an invalid job is refused, and changes nothing', async t => {
  const before = read(crontabFile)
  const refusals: [body: object, field: string][] = [
    [{}, 'schedule'],
    [{ ...job, schedule: '61 * * * *' }, 'schedule'],
    [{ ...job, schedule: '* * * * *\n* * * * * root id' }, 'schedule'],
    [{ ...job, command: '' }, 'command'],
    [{ ...job, command: 'true\n* * * * * root id' }, 'command'],
    [{ ...job, command: 'date +%F' }, 'command'],
    [{ ...job, command: 'true\u0000' }, 'command'],
    [{ ...job, command: 'true \u202e' }, 'command'],
    [{ ...job, command: ' true' }, 'command'],
    [{ ...job, command: 'x'.repeat(1_001) }, 'command'],
  ]
  for (const [body, field] of refusals) {
    const refused = await call('POST', '', body)
    t.equal(refused.status, 400, JSON.stringify(body))
    t.equal(refused.headers.get('x-panel-field'), field, refused.text)
  }
  t.match(await call('PATCH', `/${id}`, {}), { status: 400, body: { error: /Nothing to change/ } })
  for (const [method, path, body] of [
    ['PATCH', '/999', { schedule: '@daily' }],
    ['DELETE', '/999', {}],
    ['POST', '/999/run', {}],
    ['DELETE', '/nothing', {}],
  ] as const) {
    const { status, headers } = await call(method, path, body)
    t.strictSame([status, headers.get('x-panel-reason')], [404, 'cron_job_unknown'], path)
  }
  t.equal(read(crontabFile), before)
  t.equal((await listed()).length, 1)
})

t.test('other tokens and other sellers do not reach cron jobs', async t => {
  const { token: provisioning } = await makeReseller(pool, 'rita')
  const other = (await createToken(pool, { owner: 'rita', name: 'Hosting', permission })).token
  for (const [token, status] of [
    [panel.token, 403],
    [provisioning, 403],
    [other, 404],
  ] as const) {
    t.equal((await call('GET', '', undefined, { token })).status, status)
    t.equal((await call('POST', '', job, { token })).status, status)
    t.equal((await call('POST', `/${id}/run`, {}, { token })).status, status)
  }
})

t.test('commands do the same', async t => {
  const added = await command('add', 'alice', '@daily', 'true', '--json')
  t.equal(added.code, 0, added.stderr)
  t.match(added.json(), { schedule: '0 0 * * *', in_words: 'at 00:00 every day' })
  const other = added.json().id
  t.equal(lines().length, 2)
  t.match(await command('set', 'alice', other, '--schedule', '5 3 * * *'), { code: 0 })
  t.match(await command('set', 'alice', other), { code: 1, stderr: /Nothing to change/ })
  t.match(await command('set', 'alice', other, '--schedule', 'x'), { code: 2 })
  t.match(lines(), [/ /, /^5 3 \* \* \* root /])
  t.match((await command('ls', 'alice')).stdout, /^ID .*\n.*\n[0-9]+ +5 3 \* \* \* +never/)
  t.match(await command('rm', 'alice', other, '--yes'), { code: 0 })
  t.match(await command('rm', 'alice', other, '--yes'), { code: 1, stderr: /no such cron job/ })
  t.equal(lines().length, 1)
})

t.test('a job is changed', async t => {
  const changed = await call('PATCH', `/${id}`, { command: 'echo new' })
  t.match(changed, { status: 200, body: { command: 'echo new', schedule: '*/15 * * * 1' } })
  t.equal(read(commandsFile), `timeout 43200\n${id} echo new\n`)
  const both = { schedule: '@hourly', command: 'echo newer' }
  t.match((await call('PATCH', `/${id}`, both)).body, { schedule: '0 * * * *' })
  t.strictSame(lines(), [`0 * * * * root perl /etc/panel/cron/run ${uid} ${id}`])
})

t.test('a change that fails leaves what was', async t => {
  const before = [read(crontabFile), read(commandsFile), JSON.stringify(await listed())]
  const now = async () => [read(crontabFile), read(commandsFile), JSON.stringify(await listed())]
  failing = step => step === 'cron jobs'
  for (const [method, path, body] of [
    ['POST', '', job],
    ['PATCH', `/${id}`, { schedule: '1 1 1 1 *' }],
    ['DELETE', `/${id}`, {}],
  ] as const) {
    t.equal((await call(method, path, body)).status, 500, method)
  }
  failing = () => false
  t.equal((await rebuild()).code, 0)
  t.strictSame(await now(), before)
})

t.test('one is run now, and its run is shown', async t => {
  const run = await call('POST', `/${id}/run`, {})
  t.equal(run.status, 200, run.text)
  t.match(run.body.last_run, { exit_code: 0, output: '' })
  t.match(await listed(), [{ last_run: run.body.last_run, running_since: null }])
  t.match((await command('run', 'alice', id)).stdout, /exit code +0\n/)
})

t.test('reports of others’ jobs, of gone ones and of earlier runs say nothing', async t => {
  const record = (...runs: object[]) =>
    pool.query('select panel.record_cron_runs($1)', [JSON.stringify(runs)])
  const at = (second: number) => new Date(Date.now() + second * 1_000).toISOString()
  const before = await listed()
  const end = { endedAt: at(9), exitCode: 1, output: 'x' }
  await record({ uid: 1, id, startedAt: at(8), ...end }, { uid, id: 999, startedAt: at(8), ...end })
  await record({ uid, id, startedAt: at(-3_600), ...end, endedAt: at(-3_599) })
  await record({ uid, id, startedAt: at(-3_600) })
  t.strictSame(await listed(), before)
  const [first, second] = [at(5), at(20)]
  await record({ uid, id, startedAt: first })
  t.match(await listed(), [{ running_since: first, last_run: before[0].last_run }])
  // The end of one comes together with the start of the next.
  await record({ uid, id, startedAt: second }, { uid, id, startedAt: first, ...end })
  t.match(await listed(), [{ running_since: second, last_run: { started_at: first } }])
  await record({ uid, id, startedAt: second, ...end, endedAt: at(21) })
  t.match(await listed(), [{ running_since: null, last_run: { started_at: second } }])
})

t.test('none runs of a suspended account', async t => {
  await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.strictSame([read(crontabFile), read(commandsFile)], [undefined, undefined])
  t.match(await call('POST', `/${id}/run`, {}), { status: 400, body: { error: /not active/ } })
  const added = await call('POST', '', job)
  t.equal(added.status, 201, 'but one can be added')
  t.notOk(existsSync(crontabFile))
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  t.equal(lines().length, 2)
  t.equal((await call('DELETE', `/${added.body.id}`, {})).status, 200)
})

t.test('a rebuild puts right what differs', async t => {
  const before = [read(crontabFile), read(commandsFile)]
  writeFileSync(crontabFile, '* * * * * root id\n')
  rmSync(commandsFile)
  const reported = await rebuild()
  t.match(reported.stdout + reported.stderr, /cron/)
  t.strictSame([read(crontabFile), read(commandsFile)], before)
})

t.test('the package limits how often one starts, and how long it runs', async t => {
  await call('DELETE', `/${(await listed())[1]?.id ?? 0}`, {})
  const limits = { cron_interval_minutes: 15, cron_run_minutes: 5 }
  const [{ id: before }] = await listed()
  await call('PATCH', `/${before}`, { schedule: '*/5 * * * *' })
  await panel.call('PUT', '/api/v1/packages/starter', { body: limits })
  await until(() => read(commandsFile)?.startsWith('timeout 300\n'))
  const { cron_jobs: jobs, excess } = (await call('GET')).body
  t.match(jobs, [{ is_too_frequent: true }])
  const sentence = /^Package starter allows a start every 15 minutes at most, and 1 job starts more/
  t.match(excess, [sentence])
  t.equal(lines().length, 1, 'it is kept')
  t.match((await command('ls', 'alice')).stdout, 'and 1 job starts more often.')
  const refused = await call('POST', '', { ...job, schedule: '*/10 * * * *' })
  t.match(refused, {
    status: 400,
    body: { error: /10 minutes apart; package starter allows a start every 15 minutes at most$/ },
  })
  t.equal(refused.headers.get('x-panel-reason'), 'cron_job_too_frequent')
  t.equal(refused.headers.get('x-panel-field'), 'schedule')
  t.match(await call('PATCH', `/${before}`, { schedule: '0,7 * * * *' }), { status: 400 })
  const same = { schedule: '*/5 * * * *', command: 'true' }
  t.equal((await call('PATCH', `/${before}`, same)).status, 200, 'what it had may stay')
  t.match((await call('PATCH', `/${before}`, { schedule: '@hourly' })).body, {
    is_too_frequent: false,
  })
  t.strictSame((await call('GET')).body.excess, [])
})

t.test('the package limits their number', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: { max_cron_jobs: 3 } })
  await pool.query(
    `insert into panel.cron_jobs (account_id, schedule, command, desired)
     select $1, '@reboot', 'true', 'present' from generate_series(1, 2)`,
    [accountId],
  )
  const refused = await call('POST', '', { ...job, schedule: '@hourly' })
  t.match(refused, { status: 400, body: { error: /^package starter allows 3 cron jobs/ } })
  t.equal(refused.headers.get('x-panel-reason'), 'too_many_cron_jobs')
  await panel.call('PUT', '/api/v1/packages/starter', { body: { max_cron_jobs: 2 } })
  await panel.call('PUT', '/api/v1/packages/tiny', { body: { max_cron_jobs: 2 } })
  const { cron_jobs: kept, excess } = (await call('GET')).body
  t.equal(kept.length, 3)
  t.match(excess, [/^Package starter allows 2 cron jobs, and the account has 3\./])
  const changed = await panel.call('PUT', '/api/v1/accounts/alice/package', {
    body: { package: 'tiny' },
  })
  t.match(changed, { status: 400, body: { error: /allows 2 cron jobs; the account has more/ } })
})

t.test('lines of its own crontab are shown, and kept', async t => {
  const machine = openMachine({ kind: 'sandbox', root })
  const own = join(root, 'var/spool/cron/crontabs/alice')
  mkdirSync(dirname(own), { recursive: true })
  const heading = '# DO NOT EDIT THIS FILE - edit the master and reinstall.\n'
  const text = `${heading}\nMAILTO=""\n5 4 * * * echo '<b>' \x1b[31m\n`
  const shown = ['MAILTO=""', `5 4 * * * echo '<b>' \ufffd[31m`]
  const recorded = async () => {
    await recordCrontabs(pool, known => readCrontabs(machine, known))
    return (await call('GET')).body.crontab
  }
  writeFileSync(own, text)
  t.strictSame(await recorded(), shown)
  t.match(
    (await command('ls', 'alice')).stdout,
    /The account's own crontab:\n {2}MAILTO=""\n {2}5 4/,
  )
  await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.strictSame(await recorded(), shown, 'though it is suspended')
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  t.equal(read(own), text)
  writeFileSync(own, `${'x'.repeat(2_000)}\n`.repeat(300))
  const long = await recorded()
  t.ok(long.length <= 200 && long.every((line: string) => line.length <= 1_000))
  rmSync(own)
  symlinkSync(crontabFile, own)
  await recorded()
  rmSync(own)
  t.strictSame(await recorded(), [])
})

t.test('nothing is left of those of a terminated account', async t => {
  t.equal((await panel.call('DELETE', '/api/v1/accounts/alice')).status, 200)
  t.strictSame([read(crontabFile), read(commandsFile)], [undefined, undefined])
  t.strictSame((await pool.query('select id from panel.cron_jobs')).rows, [])
})
