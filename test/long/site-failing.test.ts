import { mkdir, readlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// A failure at an account's websites leaves them as they were; the account is in order seconds
// later.

let failing: (step: string) => boolean = () => false
const panel = await openPanel(t, {
  observe: async (step, work) => {
    if (failing(step)) throw new Error('staged')
    await work()
  },
})
const { call, pool, root } = panel
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
const site = (...words: string[]) => callPanel(['site', ...words], environment)
const add = (domain: string) => site('add', 'alice', domain)
const rm = (domain: string) => site('rm', 'alice', domain, '--yes')
const listed = async () => (await site('ls', 'alice', '--json')).json().sites
const domains = async () => (await listed()).map(({ domain }: { domain: string }) => domain)
const seen = async (name: string) => {
  const { rows } = await pool.query(
    `select data ->> 'domain' as domain from panel.events
     where name = $1 order by id`,
    [name],
  )
  return rows.map(({ domain }) => domain)
}
const lane = async () => (await pool.query('select is_applied from panel.accounts')).rows

await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await call('POST', '/api/v1/accounts', { body: alice })
t.equal((await add('shop.example')).code, 0)
const { rows: ids } = await pool.query(`select id from panel.sites where domain = 'shop.example'`)
const live = join(root, 'var/lib/panel/web/live', String(ids[0].id).padStart(10, '0'))

t.test('https alone is as it was where it could not be set', async t => {
  const set = (word: string) => site('set', 'alice', 'shop.example', '--https-only', word)
  const kept = async () =>
    (await listed()).map(({ https_only }: { https_only: boolean }) => https_only)
  t.match(await set('yes'), { code: 0, stderr: '' })
  failing = step => step === 'websites'
  t.match(await set('no'), { code: 1, stderr: /failed and was undone/ })
  failing = () => false
  t.strictSame(await kept(), [false, true])
  await until(async () => (await lane()).every(({ is_applied }) => is_applied))
  t.match(await set('no'), { code: 0, stderr: '' })
  t.strictSame(await kept(), [false, false])
})

t.test('served files stay as they were where a change failed', async t => {
  const set = (word: string) => site('set', 'alice', 'shop.example', '--serve-sources', word)
  const kept = async () => (await listed())[1].serves_sources
  // A rule that denies dumps reports nothing while none are served.
  const denied = async () =>
    (await pool.query(`select found from panel.site_rules where site_id = $1`, [ids[0].id])).rows[0]
      ?.found.count
  const folder = join(root, 'home/alice/sites/shop.example/public')
  await writeFile(join(folder, '.htaccess'), '<Files a.sql>\nDeny from all\n</Files>\n')
  for (const [from, to] of [
    ['no', 'yes'],
    ['yes', 'no'],
  ] as const) {
    t.match(await set(from), { code: 0, stderr: '' })
    failing = step => step === 'websites'
    t.match(await set(to), { code: 1, stderr: /failed and was undone/ })
    failing = () => false
    t.equal(await kept(), from === 'yes')
    await until(async () => (await lane()).every(({ is_applied }) => is_applied))
    const values = await readlink(join(live, 'set/values')).catch(() => 'none')
    t.equal(values.startsWith('v/=s/'), from === 'yes')
    await until(async () => (await denied()) === (from === 'yes' ? 1 : 0))
  }
})

t.test(
  'the public folder and its name with www stay as they were where a change failed',
  async t => {
    const set = (...words: string[]) => site('set', 'alice', 'shop.example', ...words)
    const state = async () => {
      const { document_root, www } = (await listed())[1]
      const target = await readlink(join(live, 'http'))
      const names = await Promise.all(
        ['shop.example', 'www.shop.example'].map(name =>
          readlink(join(root, 'var/lib/panel/web/names', name)).then(
            () => true,
            () => false,
          ),
        ),
      )
      return { document_root, www, folder: relative(folder, target), names }
    }
    const folder = '/home/alice/sites/shop.example'
    const before = { document_root: 'public', www: 'serve', folder: 'public', names: [true, true] }
    const after = { document_root: 'web/app', www: 'off', folder: 'web/app', names: [true, false] }
    await mkdir(join(root, folder, 'web/app'), { recursive: true })
    const to = {
      before: ['--document-root', 'public', '--www', 'serve'],
      after: ['--document-root', 'web/app', '--www', 'off'],
    }
    t.match(await set(...to.before), { code: 0 })
    for (const [present, words, other] of [
      [before, to.after, after],
      [after, to.before, before],
    ] as const) {
      t.strictSame(await state(), present)
      failing = step => step === 'websites'
      t.match(await set(...words), { code: 1, stderr: /failed and was undone/ })
      failing = () => false
      await until(async () => (await lane()).every(({ is_applied }) => is_applied))
      t.strictSame(await state(), present)
      t.match(await set(...words), { code: 0, stderr: '' })
      t.strictSame(await state(), other)
    }
  },
)

t.test('an add that fails leaves nothing, and its name is free', async t => {
  failing = step => step === 'websites'
  t.match(await add('late.example'), { code: 1, stderr: /failed and was undone/ })
  failing = () => false
  await until(async () => (await lane()).every(({ is_applied }) => is_applied))
  await until(
    async () =>
      !(
        await pool.query(`select from panel.sites
    where domain = 'late.example'`)
      ).rowCount,
  )
  t.strictSame(await domains(), ['alice.example', 'shop.example'])
  t.notOk((await seen('site.created')).includes('late.example'))
  t.equal((await add('late.example')).code, 0)
  t.equal((await rm('late.example')).code, 0)
})

t.test('a removal that fails leaves the website as it was', async t => {
  failing = step => step === 'websites'
  t.match(await rm('shop.example'), { code: 1, stderr: /failed and was undone/ })
  failing = () => false
  await until(async () => (await lane()).every(({ is_applied }) => is_applied))
  t.strictSame(await domains(), ['alice.example', 'shop.example'])
  t.notOk((await seen('site.deleted')).includes('shop.example'))
})
