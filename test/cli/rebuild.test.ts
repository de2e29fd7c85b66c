import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../panel.ts'
import { until } from '../until.ts'
import { callPanel } from './fixtures/run-panel.ts'

// The machine, changed behind the panel's back, agrees with the rows again.

let failing = ''
const panel = await openPanel(t, {
  hasWorker: false,
})
const start = () =>
  panel.startWorker(async (step, work) => {
    if (step === failing) throw new Error('staged')
    await work()
  })
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const rebuild = (...words: string[]) => callPanel(['ctl', 'rebuild', ...words], environment)
const site = async (username: string) => {
  const { rows } = await panel.pool.query(
    `select s.id from panel.sites s join panel.accounts a on a.id = s.account_id
     where a.username = $1`,
    [username],
  )
  return join(panel.root, `etc/nginx/panel/sites/${rows[0].id}.conf`)
}
let worker: Awaited<ReturnType<typeof start>>

t.test('what agrees is not shown; what differs is shown and not touched', async t => {
  worker = await start()
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  for (const username of ['alice', 'bob']) {
    const body = { ...alice, username, domain: `${username}.example` }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
  }
  await panel.call('POST', '/api/v1/accounts/bob/suspend', { body: {} })
  t.match(await rebuild('--dry-run'), { code: 0, stdout: '', stderr: /0 of 2 accounts differ/ })
  const file = await site('alice')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, before.replace('root /home/alice', 'root /home/mallory'))
  const said = await rebuild('--dry-run', 'alice')
  t.match(said.stdout, /^alice: .*\.conf\n- +root \/home\/mallory.*;\n\+ +root \/home\/alice.*;\n$/)
  t.match(readFileSync(file, 'utf8'), 'mallory')
  const { accounts } = (await rebuild('--dry-run', '--json')).json()
  t.match(accounts, [{ username: 'alice', differences: [{ found: /mallory/ }] }])
})

t.test('named accounts are rebuilt, and others left', async t => {
  rmSync(await site('bob'))
  t.match(await rebuild('alice'), { code: 0, stderr: /1 accounts rebuilt, 0 failed/ })
  t.match(readFileSync(await site('alice'), 'utf8'), 'root /home/alice')
  t.match((await rebuild('--dry-run')).stderr, /1 of 2 accounts differ/)
})

t.test('all are rebuilt, users and homes included; a suspended one stays so', async t => {
  writeFileSync(join(panel.root, 'etc/passwd'), '')
  writeFileSync(join(panel.root, 'etc/shadow'), '')
  rmSync(join(panel.root, 'home/bob'), { recursive: true })
  t.match((await rebuild('--dry-run')).stdout, /^alice: the user is missing\nbob: the user is mis/)
  t.match(await rebuild(), { code: 0, stderr: /2 accounts rebuilt, 0 failed/ })
  t.match(await rebuild('--dry-run'), { stderr: /0 of 2 accounts differ/ })
  t.match(readFileSync(await site('bob'), 'utf8'), 'return 503')
  t.match(await panel.call('GET', '/api/v1/accounts/bob'), { body: { state: 'suspended' } })
  t.match(readFileSync(join(panel.root, 'etc/shadow'), 'utf8'), /^bob:!/m)
})

t.test('one that cannot be rebuilt is named, with the reason', async t => {
  failing = 'quota'
  t.match(await rebuild('alice', '--json'), {
    code: 1,
    stdout: /"failed":\s*\[\s*\{\s*"username":\s*"alice",\s*"error":\s*"staged/,
  })
  failing = ''
  t.match(await rebuild('alice'), { code: 0 })
})

t.test('unknown accounts and a missing worker are refused', async t => {
  t.match(await rebuild('carol'), { code: 1, stderr: 'panel: Unknown account: carol\n' })
  await worker.stop()
  await until(async () => (await rebuild('alice')).stderr.includes('The worker is not running'))
  appendFileSync(await site('alice'), '# more\n')
  t.match(await rebuild('--dry-run'), { code: 0, stderr: /1 of 2 accounts differ/ })
})
