import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { vendor } from '../support/cli/licenses.ts'
import { callPanel } from '../support/cli/run-panel.ts'

// Root can do everything on the command line that the API can, by the same path.

const panel = await openPanel(t)
const stateDir = dirname(panel.root)
const { key, license } = vendor()
const { rows: servers } = await panel.pool.query('select id from panel.server')
writeFileSync(join(stateDir, 'license'), license({ server_id: servers[0].id }))
const environment = {
  DATABASE_URL: panel.databaseUrl,
  PANEL_STATE_DIR: stateDir,
  PANEL_LICENSE_KEY: key,
}
const run = (words: string[], input = '') => callPanel(words, environment, input)
const account = (...words: string[]) => run(['account', ...words])
const secret = 'correct horse battery'

t.test('packages are set, kept and removed', async t => {
  const set = await run(['package', 'set', 'starter', '--max-sites', '2', '--sftp', 'no', '--json'])
  t.match(set, { code: 0 }, set.stderr)
  t.match(set.json(), { name: 'starter', max_sites: 2, sftp: false, disk_mb: 1024 })
  t.match((await run(['package', 'set', 'starter', '--disk-mb', '99', '--json'])).json(), {
    max_sites: 2,
    disk_mb: 99,
  })
  t.match(await run(['package', 'set', 'starter', '--sftp', 'maybe']), { code: 2, stderr: /sftp/ })
  await run(['package', 'set', 'unused'])
  t.equal((await run(['package', 'rm', 'unused', '--yes'])).code, 0)
  t.match(await run(['package', 'rm', 'unused', '--yes']), { code: 1, stderr: /Unknown package/ })
})

t.test('an account is created once for its key, and lives', async t => {
  const words = ['account', 'create', 'alice', '--email', 'alice@example.com', '--json']
  const create = [...words, '--package', 'starter', '--domain', 'alice.example']
  const keyed = [...create, '--password-stdin', '--idempotency-key', 'order-1']
  const created = await run(keyed, secret)
  t.match(created, { code: 0, stderr: '' })
  t.match(created.json(), { username: 'alice', state: 'active', domain: 'alice.example' })
  t.equal((await run(keyed, secret)).stdout, created.stdout, 'a repeat gets the same answer')
  t.match(await run(keyed, 'another password'), { code: 1, stderr: /belongs to another/ })
  const refused = await run([...create, '--password-stdin'], secret)
  t.match(refused, { code: 1, stdout: '' })
  t.match(JSON.parse(refused.stderr), { error: /alice is taken/, reason: 'username_taken' })

  t.match((await account('suspend', 'alice', '--reason', 'late', '--json')).json(), {
    state: 'suspended',
    suspend_reason: 'late',
  })
  t.match(await account('login', 'alice'), { code: 1, stderr: /suspended; only an active account/ })
  t.match(await account('unsuspend', 'alice'), { code: 0, stdout: /^state +active$/m })
  await run(['package', 'set', 'large'])
  t.match((await account('set-package', 'alice', 'large', '--json')).json(), { package: 'large' })
  t.match((await account('set-email', 'alice', 'new@example.com', '--json')).json(), {
    email: 'new@example.com',
  })
  t.match((await account('login', 'alice', '--json')).json(), { url: /\/sso\// })
  t.match((await account('terminate', 'alice', '--yes', '--json')).json(), { state: 'terminated' })
  t.match(await account('suspend', 'alice'), { code: 1, stderr: /Unknown account: alice/ })
})

t.test(
  'a password that is made is shown once, and a key’s repeat does not show another',
  async t => {
    const words = ['create', 'bob', '--email', 'bob@example.com', '--package', 'starter', '--json']
    const keyed = [...words, '--idempotency-key', 'order-2']
    const created = await account(...keyed)
    t.match(created.json(), { username: 'bob', password: /^[\w-]{20}$/ })
    t.match(created.stderr, /not be shown again/)
    const repeat = await account(...keyed)
    t.notOk('password' in repeat.json())
    t.match(repeat.stderr, /shown by the first command/)
    t.match((await account('set-password', 'bob', '--json')).json(), { password: String })
  },
)

t.test('wrong usage is 2 and does nothing', async t => {
  const wrong: [words: string[], sentence: RegExp][] = [
    [['create', 'root', '--email', 'a@b.example', '--package', 'x'], /USERNAME is a reserved/],
    [['create', 'dave', '--email', 'nobody', '--package', 'x'], /--email is not an e-mail/],
    [['suspend', 'bob', '--wait', 'long'], /--wait is not a whole number/],
    [['suspend', 'bob', '--idempotency-key', 'ü'], /--idempotency-key must be/],
    [['set-email', 'bob', 'nobody'], /EMAIL is not an e-mail/],
  ]
  for (const [words, sentence] of wrong) {
    t.match(await account(...words), { code: 2, stdout: '', stderr: sentence }, words.join(' '))
  }
  t.match((await account('show', 'bob', '--json')).json(), { state: 'active' })
})

t.test('a license that cannot be read is no missing one', async t => {
  const words = ['account', 'create', 'frank', '--email', 'f@example.com', '--package', 'starter']
  const unreadable = { ...environment, PANEL_LICENSE: stateDir }
  t.match(await callPanel(words, unreadable), { code: 1, stderr: /cannot be read \(EISDIR\)/ })
  t.match(await account('show', 'frank'), { code: 1 })
})

t.test('a caller that does not wait gets the job’s address', async t => {
  const begun = await account('suspend', 'bob', '--wait', '0', '--json')
  t.equal(begun.code, 0)
  const { id } = begun.json()
  t.match(await run(['jobs', 'show', id]), { stdout: /^asked by +root$/m })
  t.match(await account('suspend', 'bob', '--wait', '86401'), { code: 2, stderr: /at most 86400/ })
  const made = await account('set-password', 'bob', '--wait', '0', '--json')
  t.match(made.json(), { id: String, password: String }, 'what was made is shown even so')
})

t.test('an account is shown with its seller, whatever was done to it', async t => {
  await makeReseller(panel.pool, 'shop')
  const words = ['--email', 'erin@example.com', '--package', 'starter', '--domain', 'erin.example']
  t.equal((await account('create', 'erin', ...words)).code, 0)
  await panel.pool.query(
    `update panel.accounts set seller_id = (
       select seller_id from panel.operators where name = 'shop')
     where username = 'erin'`,
  )
  t.match(await account('suspend', 'erin'), { stdout: /^state +suspended\nseller +shop$/m })
  t.match((await run(['site', 'rm', 'erin', 'erin.example', '--yes', '--json'])).json(), {
    seller: 'shop',
  })
  t.match((await account('unsuspend', 'bob', '--json')).json(), { seller: null })
  t.match(await account('show', 'erin'), { stdout: /^seller +shop$/m })
  t.match((await account('terminate', 'erin', '--yes', '--json')).json(), { seller: 'shop' })
})

t.test('an account is found by its reference, whichever seller has it', async t => {
  const words = ['--email', 'hanna@example.com', '--package', 'starter', '--reference', 'order 7']
  t.match(await account('create', 'hanna', ...words), { stdout: /^reference +order 7$/m })
  const taken = await account('create', 'ivan', ...words)
  t.match(taken, { code: 1, stderr: /order 7 belongs to the account hanna already/ })
  t.match(await account('show', 'hanna'), { stdout: /^reference +order 7$/m })
  const names = async (...more: string[]) =>
    (await account('ls', '--reference', 'order 7', '--json', ...more))
      .json()
      .accounts.map((one: { username: string; seller: string }) => [one.username, one.seller])
  t.strictSame(await names(), [['hanna', null]])
  await panel.pool.query(
    `update panel.accounts set seller_id = (
       select seller_id from panel.operators where name = 'shop')
     where username = 'hanna'`,
  )
  t.strictSame(await names(), [['hanna', 'shop']])
  await account('terminate', 'hanna', '--yes')
  t.strictSame(await names(), [])
  t.strictSame(await names('--state', 'terminated'), [['hanna', 'shop']])
  t.match((await account('ls', '--email', 'HANNA@example.com')).stdout, /^USERNAME.*\n$/)
  t.match((await account('ls', '--domain', 'www.missing.example')).code, 0)
  const all = await account('ls', '--state', 'terminated')
  t.match(all, { code: 1, stderr: /requires reference/ })
  t.match(await account('ls', '--reference', ''), { code: 2, stderr: /--reference must not be/ })
})
