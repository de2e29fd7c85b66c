import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { list } from '../../../src/model/cron-jobs/cron-jobs.ts'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { asUser, openLinuxPanel, run, startServices, tracesOf } from '../machine.ts'

// Cron jobs of an account that a real cron starts, and what an account may try with them.

startServices('nginx', 'cron')
const panel = await openLinuxPanel(t)
let worker = await panel.startMachineWorker()
const permission = 'Provisioning and hosting'
const { token } = await createToken(panel.pool, { owner: 'admin', name: 'Hosting', permission })
const call = (method: string, path = '', body?: object) =>
  panel.call(method, `/api/v1/accounts/alice/cron-jobs${path}`, { token, body })
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 128 } })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const { rows } = await panel.pool.query<{ id: string; uid: number }>(
  'select id, uid from panel.accounts',
)
const { id: accountId, uid } = rows[0]!
const [runs, crontab, commands] = [
  '/var/lib/panel/cron-runs',
  `/etc/cron.d/panel-${uid}`,
  `/etc/panel/cron/${uid}`,
]

async function add(command: string, schedule = '@yearly'): Promise<string> {
  const added = await call('POST', '', { schedule, command })
  if (added.status !== 201) throw new Error(added.text)
  return added.body.id
}
// Past the API, whose rate limit waits would reach.
const find = async (id: string) =>
  (await list(panel.pool, { id: accountId })).find(job => job.id === id)!
/** Polls until there is a result, and has the worker record runs, which it does once a minute. */
const recorded = <T>(poll: () => Promise<T>, timeoutMs = 90_000) =>
  until(async () => {
    await panel.pool.query(
      `select worker_queue.add_job('cron/record-runs', '{}', job_key => 'cron/record-runs')`,
    )
    await sleep(300)
    return poll()
  }, timeoutMs)
/** Runs it to its end. */
async function ranNow(id: string) {
  const before = (await find(id)).last_run?.started_at
  const { status, text } = await call('POST', `/${id}/run`, {})
  if (status !== 200) throw new Error(text)
  await recorded(async () => (await find(id)).last_run?.started_at !== before)
  return (await find(id)).last_run!
}
const isRunning = async (word: string) =>
  (await run('pgrep', ['-U', String(uid), '-f', word])).code === 0

let resumedId: string

t.test('none runs from the answer of a suspension on', async t => {
  const id = (resumedId = await add('echo $(date +s) >>files/beats; exec sleep 613', '* * * * *'))
  await call('POST', `/${id}/run`, {})
  await until(() => isRunning('sleep 613'))
  const suspended = await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.equal(suspended.status, 200, suspended.text)
  t.notOk(await isRunning('sleep 613'))
  t.notOk(existsSync(crontab) || existsSync(commands))
  // Jobs that cron has read a moment ago find no command.
  const late = await run('perl', ['/etc/panel/cron/run', String(uid), id])
  t.equal(late.code, 0)
  t.notOk(await isRunning('sleep 613'))
  t.match(await call('POST', `/${id}/run`, {}), { status: 400 })
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
})

t.test('cron starts jobs as the account, in its home, with nothing of root’s', async t => {
  const id = await add('id; pwd; umask; env | sort; echo to stderr >&2; exit 3', '* * * * *')
  // One wait for cron's minute.
  const [ended] = await Promise.all([
    recorded(async () => (await find(id)).last_run ?? false, 150_000),
    until(() => isRunning('sleep 613'), 150_000),
  ])
  t.pass('and one that a suspension had stopped')
  t.equal(ended.exit_code, 3)
  const user = `${uid}(alice)`
  t.match(ended.output, `uid=${user} gid=${user} groups=${user}\n/home/alice\n0027\n`)
  for (const line of ['HOME=/home/alice', 'LOGNAME=alice', 'SHELL=/bin/sh', 'USER=alice']) {
    t.match(ended.output, `\n${line}\n`)
  }
  t.match(ended.output, /\nto stderr\n$/)
  t.notMatch(ended.output, /MAILTO|SUDO|root/)
  for (const one of [id, resumedId]) {
    t.equal((await call('DELETE', `/${one}`, {})).status, 200)
  }
  await run('pkill', ['-U', String(uid), '-f', 'sleep 613'])
})

t.test('a job’s output is kept, as far as a page can show it', async t => {
  t.match(await ranNow(await add('echo short')), { exit_code: 0, output: 'short\n' })
  t.match(await ranNow(await add('true')), { exit_code: 0, output: '' })
  const lines = 'i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done'
  const { output } = await ranNow(await add(lines))
  t.equal(output.length, 65_536)
  t.match(output, /\nline 29999\n$/)
  const odd = await ranNow(await add(String.raw`printf 'a\000b\033[31mc\377d\ne'`))
  t.equal(odd.output, 'a\ufffdb\ufffd[31mc\ufffdd\ne')
  t.match(await ranNow(await add('kill -9 $$')), { exit_code: 255 })
  t.match(await ranNow(await add('no-such-command')), { exit_code: 127, output: /not found/ })
  for (const { id } of (await call('GET')).body.cron_jobs) await call('DELETE', `/${id}`, {})
})

t.test('a cron job does not run twice at a time, and nothing waits for it', async t => {
  const id = await add('echo begun >>files/begun; exec sleep 611')
  const begunAt = Date.now()
  const started = await call('POST', `/${id}/run`, {})
  t.equal(started.status, 200)
  t.ok(Date.now() - begunAt < 5_000)
  await until(() => isRunning('sleep 611'))
  t.type((await find(id)).running_since, 'string')
  t.equal((await call('POST', `/${id}/run`, {})).status, 200)
  t.equal(readFileSync('/home/alice/files/begun', 'utf8'), 'begun\n')
  await run('pkill', ['-U', String(uid), '-f', 'sleep 611'])
  await recorded(async () => (await find(id)).running_since === null)
  t.equal((await call('DELETE', `/${id}`, {})).status, 200)
})

t.test('a worker that is killed does not start it a second time, nor end it', async t => {
  const id = await add('echo once >>files/once; exec sleep 612')
  const asked = call('POST', `/${id}/run`, {})
  await until(() => isRunning('sleep 612'))
  await worker.kill()
  worker = await panel.startMachineWorker()
  t.equal((await asked).status, 200)
  t.ok(await isRunning('sleep 612'), 'it goes on')
  await run('pkill', ['-U', String(uid), '-f', 'sleep 612'])
  await sleep(500)
  t.equal(readFileSync('/home/alice/files/once', 'utf8'), 'once\n')
  await recorded(async () => (await find(id)).last_run?.exit_code === 255)
  t.equal((await call('DELETE', `/${id}`, {})).status, 200)
})

t.test('nothing that an account does reaches reports, commands or root', async t => {
  const id = await add('echo fine')
  const attempts = [
    ['tee', `${runs}/${uid}-${id}-1.end`],
    ['ls', runs],
    ['tee', commands],
    ['tee', crontab],
    ['rm', '-f', crontab],
    ['tee', '/etc/panel/cron/run'],
    ['rm', '-f', `/run/panel/cron/${uid}-${id}.lock`],
    ['cat', `/run/panel/cron/${uid}-${id}.lock`],
  ]
  for (const words of attempts) t.not((await asUser(uid, words, 'x\n')).code, 0, words.join(' '))
  t.match((await asUser(uid, ['cat', commands])).stdout, 'echo fine', 'its own it may read')
  t.not((await asUser(uid + 1, ['cat', commands])).code, 0, 'and no other user')
  // As the account, whose words choose neither user nor file.
  for (const words of [[String(uid), '../1'], ['0', id], [String(uid), `${id}\n`], [`${uid}`]]) {
    t.not((await run('perl', ['/etc/panel/cron/run', ...words])).code, 0, words.join(' '))
  }
  const foreign = await asUser(uid + 1, ['perl', '/etc/panel/cron/run', '--job', `${uid}`, id])
  t.equal(foreign.stdout, '')
  symlinkSync('/etc/shadow', '/srv/link')
  rmSync(commands)
  symlinkSync('/srv/link', commands)
  t.notMatch(await ranOnce(id), /root:/, 'a link in the place of its commands is not followed')
  rmSync(commands)
  const { code } = await rebuilt()
  t.equal(code, 0)
  t.match(await ranNow(id), { output: 'fine\n' })
  t.equal((await call('DELETE', `/${id}`, {})).status, 200)
})

const rebuilt = async () => {
  const { callPanel } = await import('../../support/cli/run-panel.ts')
  return callPanel(['ctl', 'rebuild', 'alice'], {
    ...{ DATABASE_URL: panel.databaseUrl, PANEL_HOST: 'linux' },
    PANEL_STATE_DIR: '/var/lib/panel-state',
  })
}

async function ranOnce(id: string): Promise<string> {
  await run('perl', ['/etc/panel/cron/run', String(uid), id])
  return JSON.stringify(await find(id))
}

t.test('a cron job stays within the limits of the account', async t => {
  // The worker moves cron's processes of version 1 within seconds.
  const id = await add('sleep 8; grep -c . /proc/self/cgroup; cat /proc/self/cgroup')
  const { output } = await ranNow(id)
  t.match(output, `panel-${uid}`)
  await call('DELETE', `/${id}`, {})
})

t.test('a run ends at the time limit, with all that it has started', async t => {
  const id = await add('echo begun; sleep 615 & sleep 616')
  t.match(readFileSync(commands, 'utf8'), /^timeout 43200\n/)
  await writeFile(commands, `timeout 2\n${id} echo begun; sleep 615 & sleep 616\n`)
  await run('perl', ['/etc/panel/cron/run', String(uid), id])
  const { exit_code: code, output } = await recorded(async () => (await find(id)).last_run ?? false)
  t.equal(code, 124)
  t.match(output, /^begun\n(Terminated\n)?The time limit of .* min ended the run\.\n$/)
  t.notOk((await isRunning('sleep 615')) || (await isRunning('sleep 616')))
  await call('DELETE', `/${id}`, {})
})

t.test('nothing of them outlives the account, and its own crontab is left alone', async t => {
  await run('crontab', ['-u', 'alice', '-'], '@yearly true\n')
  const id = await add('exec sleep 614', '* * * * *')
  await call('POST', `/${id}/run`, {})
  await until(() => isRunning('sleep 614'))
  t.match((await run('crontab', ['-u', 'alice', '-l'])).stdout, '@yearly true\n')
  const own = await recorded(async () => {
    const lines = (await call('GET')).body.crontab
    return lines.length > 0 && lines
  })
  t.strictSame(own, ['@yearly true'])
  t.equal((await panel.call('DELETE', '/api/v1/accounts/alice')).status, 200)
  t.notOk(await isRunning('sleep 614'))
  t.strictSame(await tracesOf('alice', uid), [])
  t.notOk(existsSync(crontab) || existsSync(commands))
})
