import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { runCli } from '../../src/cli/cli.ts'
import { ensureLink, isThere } from '../../src/host/tools/files.ts'
import { alice, openPanel } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { startPhp } from '../support/host/sandbox.ts'
import { callPanel } from '../support/cli/run-panel.ts'

// A rebuild makes a machine that was changed by hand agree with the rows again.

let [failing, held] = ['', '']
let [hold, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
const panel = await openPanel(t, { hasWorker: false })
const start = () =>
  panel.startWorker(async (step, work) => {
    if (step === failing) throw new Error('staged')
    if (step === held) {
      reached.resolve()
      await hold.promise
    }
    await work()
  })
/** Has the worker wait before a step until the test releases it. */
const pauseAt = (step: string) => {
  held = step
  hold = Promise.withResolvers()
  reached = Promise.withResolvers()
  return () => {
    held = ''
    hold.resolve()
  }
}
const stateOf = async (username: string) =>
  (await panel.call('GET', `/api/v1/accounts/${username}`)).body.state
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const rebuild = (...words: string[]) => callPanel(['ctl', 'rebuild', ...words], environment)
const numbersOf = async (username: string) => {
  const { rows } = await panel.pool.query(
    `select a.uid, s.id from panel.accounts a left join panel.sites s on s.account_id = a.id
     where a.username = $1`,
    [username],
  )
  return rows[0]
}
const web = join(panel.root, 'var/lib/panel/web')
const number = async (username: string) => (await numbersOf(username)).id.padStart(10, '0')
/** The link that says whether a website is live or suspended. */
const site = async (username: string) => join(web, 'sites', await number(username))
const pool = async (username: string) =>
  join(panel.root, `etc/panel/php/${(await numbersOf(username)).uid}.conf`)
/** Replaces a command by a script, and returns its calls since. */
const standIn = (name: string, script = '') => {
  const folder = join(panel.root, 'usr/local/sbin')
  const notes = join(folder, `${name}.calls`)
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(notes, '')
  fs.writeFileSync(join(folder, name), `#!/bin/sh\necho "$*" >>${notes}\n${script}\nexit 0\n`, {
    mode: 0o755,
  })
  return () => fs.readFileSync(notes, 'utf8').split('\n').slice(0, -1)
}
let worker: Awaited<ReturnType<typeof start>>

t.test('an account that agrees is not shown; a difference is shown and not touched', async t => {
  worker = await start()
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  for (const username of ['alice', 'bob']) {
    const body = { ...alice, username, domain: `${username}.example` }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
  }
  await panel.call('POST', '/api/v1/accounts/bob/suspend', { body: {} })
  t.match(await rebuild('--dry-run'), { code: 0, stdout: '', stderr: /0 of 2 accounts differ/ })
  const link = join(web, 'live', await number('alice'), 'http')
  ensureLink(link, '/home/mallory')
  const result = await rebuild('--dry-run', 'alice')
  t.match(result.stdout, /^alice: .*\/http\n- \/home\/mallory\n\+ \/home\/alice\/sites\/.*\n$/)
  t.equal(fs.readlinkSync(link), '/home/mallory')
  const { accounts } = (await rebuild('--dry-run', '--json')).json()
  t.match(accounts, [{ username: 'alice', differences: [{ found: /mallory/ }] }])
})

t.test('named accounts are rebuilt, and others left', async t => {
  fs.rmSync(await site('bob'))
  t.match(await rebuild('alice'), { code: 0, stderr: /1 account rebuilt, 0 failed/ })
  t.match(fs.readlinkSync(join(web, 'live', await number('alice'), 'http')), '/home/alice')
  t.match((await rebuild('--dry-run')).stderr, /1 of 2 accounts differ/)
})

t.test('all are rebuilt, users and homes included; a suspended one stays so', async t => {
  fs.writeFileSync(join(panel.root, 'etc/passwd'), '')
  fs.writeFileSync(join(panel.root, 'etc/shadow'), '')
  fs.rmSync(join(panel.root, 'home/bob'), { recursive: true })
  t.match((await rebuild('--dry-run')).stdout, /^alice: the user is missing\nbob: the user is mis/)
  t.match(await rebuild(), { code: 0, stderr: /2 accounts rebuilt, 0 failed/ })
  t.match(await rebuild('--dry-run'), { stderr: /0 of 2 accounts differ/ })
  t.match(fs.readlinkSync(await site('bob')), 'suspended')
  t.match(await panel.call('GET', '/api/v1/accounts/bob'), { body: { state: 'suspended' } })
  t.match(fs.readFileSync(join(panel.root, 'etc/shadow'), 'utf8'), /^bob:!/m)
})

t.test('an account that cannot be rebuilt is named, with the reason', async t => {
  failing = 'quota'
  // More than its websites, so that it is repaired as a whole.
  fs.rmSync(join(panel.root, 'home/alice/files'), { recursive: true })
  const result = await rebuild('alice', '--json')
  t.equal(result.code, 1)
  t.match(result.json(), {
    rebuilt: 0,
    differed: [{ username: 'alice', differences: ['there is no folder /home/alice/files'] }],
    failed: [{ username: 'alice', error: /^staged/ }],
  })
  failing = ''
  t.match(await rebuild('alice'), { code: 0 })
})

t.test('files are made again, and nothing is done where they agree', async t => {
  const services = standIn('systemctl')
  const machine = { path: (path: string) => join(panel.root, path) }
  for (const username of ['alice', 'bob']) startPhp(machine, await numbersOf(username))
  fs.rmSync(await site('alice'))
  fs.rmSync(await pool('alice'))
  ensureLink(await site('bob'), '../live/0000000001')
  const result = await rebuild('--json')
  t.match(result.json(), {
    rebuilt: 2,
    failed: [],
    differed: [
      {
        username: 'alice',
        differences: [/php\/\d+\.conf was missing$/, /sites\/\d+ was missing$/],
      },
      { username: 'bob', differences: [/sites\/\d+ was different$/] },
    ],
  })
  const { rows } = await panel.pool.query(
    `select username, (select array_agg(s ->> 'step') from json_array_elements(steps) s) as steps
     from panel.operations where name = 'account/apply' order by arrival desc limit 2`,
  )
  t.strictSame(rows, [
    { username: 'bob', steps: ['web access', 'websites'] },
    { username: 'alice', steps: ['web access', 'php', 'websites'] },
  ])
  t.notOk(services().includes('reload -- nginx'))
  const reported = services().filter(call => call.startsWith('kill'))
  t.match(
    reported.join('\n'),
    new RegExp(` -- panel-php@${(await numbersOf('alice')).uid}.service$`),
  )
  t.match(await rebuild('--dry-run'), { stderr: /0 of 2 accounts differ/ })
  t.match((await rebuild()).stderr, /2 accounts rebuilt, 0 failed, 0 differed/)
})

t.test('shared files are shown and put right, even if accounts are named', async t => {
  const file = '/etc/nginx/conf.d/panel.conf'
  fs.appendFileSync(join(panel.root, file), 'listen 81;\n')
  const dry = await rebuild('--dry-run', 'alice')
  t.match(dry, { code: 0, stderr: /0 of 1 accounts differ/ })
  t.equal(dry.stdout, `all accounts: ${file}\n- listen 81;\n`)
  t.match((await rebuild('alice')).stdout, `all accounts: ${file} was different\n`)
  t.match(await rebuild('--dry-run', 'alice'), { code: 0, stdout: '' })

  fs.rmSync(join(panel.root, 'etc/ssh/sshd_config.d'), { recursive: true })
  const result = await rebuild('alice')
  t.match(result, { code: 1, stdout: /60-panel\.conf was missing and could not be corrected\n/ })
  fs.mkdirSync(join(panel.root, 'etc/ssh/sshd_config.d'))
  t.match(await rebuild('alice'), { code: 0 })
})

t.test('one whose website cannot be made fails alone', async t => {
  const { id } = await numbersOf('alice')
  const certificate = join(panel.root, 'var/lib/panel/certificates', id)
  fs.mkdirSync(certificate)
  fs.symlinkSync('/etc/passwd', join(certificate, 'served.pem'))
  for (const username of ['alice', 'bob']) fs.rmSync(await site(username))
  const result = await rebuild('--json')
  t.equal(result.code, 1)
  t.match(result.json(), { rebuilt: 1, failed: [{ username: 'alice', error: /ELOOP/ }] })
  t.ok(isThere(await site('bob')))
  fs.rmSync(certificate, { recursive: true })
  t.match(await rebuild(), { code: 0 })
})

t.test('a row that does not fit is reported, and the others are rebuilt', async t => {
  await panel.pool.query('alter table panel.sites drop constraint if exists sites_domain_check')
  const { rows } = await panel.pool.query(
    `update panel.sites s set domain = E'x.example;\\n include /etc/shadow' from panel.accounts a
     where a.id = s.account_id and a.username = 'alice' returning s.id`,
  )
  fs.rmSync(await site('bob'))
  t.match(await rebuild('--dry-run'), {
    code: 0,
    stdout: /^alice: the row does not fit: [^\n]*domain/,
    stderr: /2 of 2 accounts differ/,
  })
  const result = await rebuild('--json')
  t.match(result.json(), { rebuilt: 1, failed: [{ username: 'alice', error: /domain/ }] })
  t.ok(isThere(await site('bob')))
  t.notMatch(fs.readdirSync(join(web, 'names')).join(), 'shadow')
  await panel.pool.query(`update panel.sites set domain = 'alice.example' where id = $1`, [
    rows[0].id,
  ])
  t.match(await rebuild(), { code: 0 })
})

t.test('an account in progress is rebuilt after it, and delays no other', async t => {
  const letGo = pauseAt('lock')
  const suspended = panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  await reached.promise
  fs.rmSync(await site('bob'))
  fs.rmSync(await site('alice'))
  const rebuilt = rebuild()
  await until(async () => isThere(await site('bob')))
  t.notOk(isThere(await site('alice')))
  letGo()
  t.equal((await suspended).status, 200)
  t.match(await rebuilt, { code: 0, stderr: /2 accounts rebuilt, 0 failed/ })
  t.match(fs.readlinkSync(await site('alice')), 'suspended')
})

t.test('a request during a rebuild waits for it, and wins', async t => {
  fs.rmSync(await site('alice'))
  const letGo = pauseAt('websites')
  const rebuilt = rebuild()
  await reached.promise
  const answer = panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  await until(async () => {
    const { rows } = await panel.pool.query(
      `select from panel.operations where state = 'blocked' and name = 'account/unsuspend'`,
    )
    return rows.length === 1
  })
  letGo()
  t.equal((await answer).status, 200)
  t.match(await rebuilt, { code: 0, stderr: /2 accounts rebuilt, 0 failed/ })
  t.equal(await stateOf('alice'), 'active')
  t.match(fs.readlinkSync(await site('alice')), 'live')
})

for (const kills of [1, 2]) {
  t.test(`a rebuild whose worker is killed ${kills} times is done by the next`, async t => {
    await worker.stop()
    fs.rmSync(await site('alice'))
    fs.rmSync(await pool('alice'))
    let rebuilt: ReturnType<typeof rebuild> | undefined
    for (let kill = 0; kill < kills; kill++) {
      const args = [panel.databaseUrl, panel.root, kill === 0 ? 'websites' : 'php', 'before']
      const killed = await startProcess(t, 'test/support/programs/worker.ts', args, untilStarted)
      rebuilt ??= rebuild()
      await killed.exited
    }
    worker = await start()
    t.match(await rebuilt, { code: 0, stderr: /2 accounts rebuilt, 0 failed/ })
    t.match(await rebuild('--dry-run'), { stderr: /0 of 2 accounts differ/ })
    // They are given back a moment later.
    const locks = `select from pg_locks l join panel.accounts a on a.id = l.objid::bigint
      where l.locktype = 'advisory' and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())`
    await until(async () => (await panel.pool.query(locks)).rowCount === 0)
    const { rows } = await panel.pool.query(
      `select count(*) filter (where state not in ('done', 'failed'))::int as unfinished,
         max(starts) filter (where name = 'account/apply' and username = 'alice') as starts
       from panel.operations`,
    )
    t.strictSame(rows, [{ unfinished: 0, starts: kills + 1 }])
  })
}

t.test('a rebuild names what it waits for, and continues', async t => {
  const letGo = pauseAt('lock')
  const suspend = panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  await reached.promise
  let output = ''
  const stderr = new PassThrough().on('data', text => (output += text))
  const context = { stdout: new PassThrough(), stderr, env: environment }
  const rebuilding = runCli(['ctl', 'rebuild', 'alice'], context)
  const listed = ['jobs', 'ls', '--state', 'blocked']
  await until(async () => /account.apply/.test((await callPanel(listed, environment)).stdout))
  await callPanel(['jobs', 'pause', 'account/apply'], environment)
  letGo()
  t.equal((await suspend).status, 200)
  await until(() => output !== '')
  t.match(output, /^panel: waiting: account\/apply is paused; .*\n$/)
  await callPanel(['jobs', 'resume', 'account/apply'], environment)
  t.equal(await rebuilding, 0)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })).status, 200)
})

t.test('unknown accounts and a missing worker are refused', async t => {
  t.match(await rebuild('carol'), { code: 1, stderr: 'panel: Unknown account: carol\n' })
  await worker.stop()
  await until(async () =>
    (await rebuild('alice')).stderr.includes('The worker, which rebuilds accounts, is not running'),
  )
  fs.rmSync(await site('alice'))
  t.match(await rebuild('--dry-run'), { code: 0, stderr: /1 of 2 accounts differ/ })
})
