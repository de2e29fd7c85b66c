import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// Unapplied directives of .htaccess files are on the pages of their website, and no other.

const panel = await openPanel(t)
const { call, pool, root } = panel
await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await call('POST', '/api/v1/accounts', { body: alice })
await call('POST', '/api/v1/accounts', {
  body: { ...alice, username: 'bob', domain: 'bob.example' },
})
const customer = await signInAs(panel, 'alice')
const admin = await signIn(panel)
const path = join(root, 'home/alice/sites/alice.example/public')
const say = (...words: string[]) =>
  callPanel(words, { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) })
const look = (domain = 'alice.example') => say('site', 'recheck', 'alice', domain)
const readAt = async () =>
  (await pool.query('select max(read_at)::text as at from panel.site_rules')).rows[0].at
const readAgain = async () => {
  const before = await readAt()
  const { code, stderr } = await look()
  if (code !== 0) throw new Error(stderr)
  await until(async () => (await readAt()) !== before)
}

t.test('a website whose files say nothing has nothing to read', async t => {
  await readAgain()
  t.notMatch((await customer.get('/account/sites/alice.example')).text, '.htaccess files')
  t.notMatch((await admin.get('/accounts/alice')).text, 'rules in .htaccess')
})

t.test('unapplied rules are reported to everyone who sees the website', async t => {
  mkdirSync(join(path, 'up<b>loads'))
  writeFileSync(join(path, '.htaccess'), 'Header set A b\nHeader set B c\nDeny from all\n')
  writeFileSync(join(path, 'up<b>loads/.htaccess'), 'Require ip 192.0.2.1\n')
  await readAgain()
  const words =
    '4 rules in .htaccess are not applied: 2 Header, 1 Deny in /.htaccess; 1 Require in '
  for (const text of [
    (await customer.get('/account/sites/alice.example')).text,
    (await customer.get('/account/sites')).text,
    (await admin.get('/accounts/alice')).text,
  ]) {
    t.match(text, `${words}/up&lt;b&gt;loads/.htaccess.`)
  }
  t.match((await customer.get('/account/sites/alice.example')).text, 'Read again')
  t.notMatch((await admin.get('/accounts/bob')).text, 'in .htaccess')
})

t.test('the customer has it read again, on its page', async t => {
  rmSync(join(path, '.htaccess'))
  rmSync(join(path, 'up<b>loads'), { recursive: true })
  const before = await readAt()
  await customer.submit('/account/sites/alice.example/recheck', {})
  await until(async () => (await readAt()) !== before)
  t.notMatch((await customer.get('/account/sites/alice.example')).text, 'not applied')
  t.match(await look('none.example'), { code: 1, stderr: /Unknown website/ })
})

t.test('a change of a website’s settings has its rules read again', async t => {
  writeFileSync(join(path, '.htaccess'), '<Files dump.sql>\nDeny from all\n</Files>\n')
  await readAgain()
  const page = async () => (await customer.get('/account/sites/alice.example')).text
  t.notMatch(await page(), 'not applied')
  const set = (word: string) =>
    say('site', 'set', 'alice', 'alice.example', '--serve-sources', word)
  t.equal((await set('yes')).code, 0)
  await until(async () => (await page()).includes('1 rule in .htaccess is not applied: 1 Deny'))
  t.equal((await set('no')).code, 0)
  await until(async () => !(await page()).includes('not applied'))
  rmSync(join(path, '.htaccess'))
})

t.test('doctor says that only a part was read, where nothing was found in it', async t => {
  const doctor = async (rules: object) => {
    await pool.query(
      `update panel.site_rules r set found = $1
       from panel.sites s where s.id = r.site_id and s.domain = 'alice.example'`,
      [JSON.stringify({ count: 0, fileCount: 0, files: [], ...rules })],
    )
    const { checks } = JSON.parse((await say('ctl', 'doctor', '--json')).stdout)
    return checks.find(({ name }: { name: string }) => name === 'websites/htaccess')
  }
  t.match(await doctor({ isWhole: false }), {
    state: 'warning',
    sentence: /^alice\.example: Not all \.htaccess files were read: .*, read .* ago$/,
  })
  t.match(await doctor({ isWhole: true }), { state: 'ok' })
})

t.test('a folder that a link of the home leads to is a part of its website', async t => {
  const storage = join(path, '../storage')
  mkdirSync(join(storage, 'in'), { recursive: true })
  writeFileSync(join(storage, 'in/.htaccess'), 'Header set A b\n')
  symlinkSync('../storage', join(path, 'storage'))
  symlinkSync('..', join(storage, 'up'))
  symlinkSync('.', join(path, 'here'))
  symlinkSync('/etc', join(path, 'etc'))
  await readAgain()
  const words = '1 rule in .htaccess is not applied: 1 Header in /storage/in/.htaccess.'
  t.match((await customer.get('/account/sites/alice.example')).text, words)
  for (const name of ['storage', 'here', 'etc']) rmSync(join(path, name))
  rmSync(storage, { recursive: true })
})

t.test('a folder rewrites as the nearest one above it that says so', async t => {
  const rule = 'RewriteRule ^a$ b\n'
  const files = {
    '': `RewriteEngine On\n${rule}`,
    'y/z': rule,
    'y/off': `RewriteEngine Off\n${rule}`,
    'y/off/x': rule,
  }
  for (const [folder, text] of Object.entries(files)) {
    mkdirSync(join(path, folder), { recursive: true })
    writeFileSync(join(path, folder, '.htaccess'), text)
  }
  await readAgain()
  const words =
    '2 rules in .htaccess are not applied: 1 RewriteRule in /.htaccess; 1 RewriteRule in '
  t.match((await customer.get('/account/sites/alice.example')).text, `${words}/y/z/.htaccess.`)
  rmSync(join(path, 'y'), { recursive: true })
  rmSync(join(path, '.htaccess'))
})

t.test('a finding is of no website that is gone, or another account’s', async t => {
  const { rows } = await pool.query('select id, account_id from panel.sites order by id')
  const [own, others] = rows
  const rules = { count: 1, fileCount: 1, files: [], isWhole: true }
  const found = [own.id, others.id, '999999', 'x'].map(siteId => ({ siteId, rules }))
  for (let count = 0; count < 2; count++) {
    await pool.query('select panel.record_site_rules($1, $2)', [
      own.account_id,
      JSON.stringify(found),
    ])
  }
  const kept = await pool.query('select site_id from panel.site_rules')
  t.strictSame(kept.rows, [{ site_id: own.id }])
  await pool.query('delete from panel.sites where id = $1', [own.id])
  t.equal((await pool.query('select from panel.site_rules')).rowCount, 0)
})
