import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import type { SiteView } from '../../src/model/sites/site-changes.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Websites of an account, added and removed by root.

let failing: (step: string) => boolean = () => false
const gate = openGate(step => failing(step))
const panel = await openPanel(t, { observe: gate.observe })
const { call, pool, root } = panel
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
const site = (...words: string[]) => callPanel(['site', ...words], environment)
const add = (domain: string, ...words: string[]) => site('add', 'alice', domain, ...words)
const rm = (domain: string, ...words: string[]) => site('rm', 'alice', domain, '--yes', ...words)
const listed = async (username = 'alice') => (await site('ls', username, '--json')).json().sites
const domains = async () => (await listed()).map(({ domain }: { domain: string }) => domain)

await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await call('POST', '/api/v1/accounts', { body: alice })

const seen = async (name: string) => {
  const { rows } = await pool.query(
    `select data ->> 'domain' as domain from panel.events
     where name = $1 order by id`,
    [name],
  )
  return rows.map(({ domain }) => domain)
}
const websites = () => readdirSync(join(root, 'var/lib/panel/web/sites')).length
const folder = (name: string) => existsSync(join(root, 'home/alice', name))
const lane = async () => (await pool.query('select is_applied from panel.accounts')).rows

t.test('an added website is served and reported, once for its key', async t => {
  const key = ['--idempotency-key', 'shop', '--json']
  const added = await add('WWW.Shop.Example', ...key)
  t.equal(added.code, 0, added.stderr)
  t.strictSame(added.json().sites, [
    { domain: 'alice.example', ssl: 'none' },
    { domain: 'shop.example', ssl: 'none' },
  ])
  t.equal(added.json().domain, 'alice.example')
  t.equal((await add('WWW.Shop.Example', ...key)).stdout, added.stdout, 'a repeat is the same')
  t.match(await add('other.example', ...key), { code: 1, stderr: /belongs to another/ })
  t.strictSame(await seen('site.created'), ['alice.example', 'shop.example'])
  t.equal(websites(), 2)
  t.ok(folder('sites/shop.example/public/index.html'))
  t.match(await call('GET', '/api/v1/accounts/alice'), { body: { sites: { length: 2 } } })
  t.strictSame(await lane(), [{ is_applied: true }])
})

t.test('a website that cannot be added is reported, and nothing has changed', async t => {
  await call('PUT', '/api/v1/packages/tiny', { body: { max_sites: 1 } })
  const body = { ...alice, username: 'carol', domain: 'carol.example', package: 'tiny' }
  await call('POST', '/api/v1/accounts', { body })
  const refused: [words: string[], code: number, sentence: RegExp][] = [
    [['add', 'alice', 'shop.example'], 1, /domain shop\.example is taken/],
    [['add', 'alice', 'www.carol.example'], 1, /domain carol\.example is taken/],
    [['add', 'carol', 'second.example'], 1, /allows 1 website,/],
    [['add', 'ghost', 'shop2.example'], 1, /Unknown account: ghost/],
    [['rm', 'alice', 'unknown.example', '--yes'], 1, /Unknown website: unknown\.example/],
    [['rm', 'carol', 'shop.example', '--yes'], 1, /Unknown website: shop\.example/],
    [['add', 'alice', 'no domain'], 2, /DOMAIN must have at least two labels/],
    [['add', 'alice', 'shop.localhost'], 2, /special-use/],
    [['add', 'alice', 'xn--zz-.example'], 2, /broken xn--/],
    [['add', 'alice', 'co.uk'], 2, /public suffix/],
  ]
  for (const [words, code, sentence] of refused) {
    t.match(await site(...words), { code, stdout: '', stderr: sentence }, words.join(' '))
  }
  t.strictSame(await domains(), ['alice.example', 'shop.example'])
  t.strictSame(await seen('site.created'), ['alice.example', 'shop.example', 'carol.example'])
})

t.test('https alone is kept, and as it was where it is refused', async t => {
  const set = (domain: string, ...words: string[]) => site('set', 'alice', domain, ...words)
  const kept = async () =>
    (await listed()).map(({ https_only }: { https_only: boolean }) => https_only)
  t.match(await set('shop.example', '--https-only', 'yes'), { code: 0, stderr: '' })
  t.strictSame(await kept(), [false, true])
  const refused: [words: string[], code: number, sentence: RegExp][] = [
    [['unknown.example', '--https-only', 'yes'], 1, /Unknown website: unknown\.example/],
    [['shop.example', '--https-only', 'perhaps'], 2, /--https-only must be yes or no/],
    [['shop.example'], 2, /Give at least one setting/],
  ]
  for (const [[domain = '', ...words], code, sentence] of refused) {
    t.match(await set(domain, ...words), { code, stderr: sentence }, words.join(' '))
  }
  t.strictSame(await kept(), [false, true])
  t.match(await set('shop.example', '--https-only', 'no'), { code: 0, stderr: '' })
  t.strictSame(await kept(), [false, false])
})

t.test(
  'sources are served where it is set, once for its key, and nothing else changes',
  async t => {
    const set = (domain: string, ...words: string[]) => site('set', 'alice', domain, ...words)
    const kept = async () =>
      (await listed()).map(({ domain, ssl, https_only, serves_sources }: SiteView) => [
        ...[domain, ssl, https_only, serves_sources],
      ])
    const key = ['--idempotency-key', 'sources', '--json']
    const before = await seen('site.created')
    const done = await set('shop.example', '--serve-sources', 'yes', ...key)
    t.equal(done.code, 0, done.stderr)
    t.equal((await set('shop.example', '--serve-sources', 'yes', ...key)).stdout, done.stdout)
    t.match(await set('shop.example', '--serve-sources', 'no', ...key), { code: 1 })
    const now = [
      ['alice.example', 'none', false, false],
      ['shop.example', 'none', false, true],
    ]
    t.strictSame(await kept(), now)
    const refused: [words: string[], code: number, sentence: RegExp][] = [
      [['unknown.example', '--serve-sources', 'yes'], 1, /Unknown website: unknown\.example/],
      [['shop.example', '--serve-sources', 'perhaps'], 2, /--serve-sources must be yes or no/],
      [['shop.example'], 2, /Give at least one setting/],
    ]
    for (const [[domain = '', ...words], code, sentence] of refused) {
      t.match(await set(domain, ...words), { code, stderr: sentence }, words.join(' '))
    }
    t.strictSame(await kept(), now)
    t.match(await site('set', 'alice', 'shop.example', '--https-only', 'yes'), { code: 0 })
    t.strictSame((await kept())[1], ['shop.example', 'none', true, true])
    t.match(await set('shop.example', '--serve-sources', 'no'), { code: 0 })
    t.strictSame((await kept())[1], ['shop.example', 'none', true, false])
    t.match(await site('set', 'alice', 'shop.example', '--https-only', 'no'), { code: 0 })
    t.strictSame(await seen('site.created'), before)
  },
)

t.test('two at once cannot both take the last place', async t => {
  const both = await Promise.all([add('one.example'), add('two.example')])
  t.strictSame(both.map(({ code }) => code).sort(), [0, 1])
  t.match(both.find(({ code }) => code === 1)?.stderr, /allows 3 websites/)
  const [third] = (await domains()).slice(2)
  t.equal((await rm(third)).code, 0)
})

t.test('the owner’s own folder stays, whether the add succeeds or fails', async t => {
  mkdirSync(join(root, 'home/alice/sites/own.example/public'), { recursive: true })
  failing = step => step === 'websites'
  const key = ['--idempotency-key', 'own']
  t.equal((await add('own.example', ...key)).code, 1)
  t.equal((await rm('own.example')).code, 1, 'there is nothing to remove')
  failing = () => false
  t.match(await add('own.example', ...key), { code: 0, stderr: '' }, 'the same key works again')
  t.ok(folder('sites/own.example/public'))
  t.notOk(folder('files/removed-own.example'))
  t.notOk(folder('sites/own.example/public/index.html'), 'it is as it was')
  t.ok((await domains()).includes('own.example'))
  t.equal((await rm('own.example')).code, 0)
})

t.test('an add that waits behind another operation is nowhere, and can be cancelled', async t => {
  await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 4 } })
  const busy = `select from panel.packages where apply_after is not null
    union all select from panel.operations where state not in ('done', 'failed')`
  await until(async () => (await pool.query(busy)).rowCount === 0)
  gate.close()
  const suspend = call('POST', '/api/v1/accounts/alice/suspend')
  await gate.reached()
  const blocked = add('reserved.example')
  const { id } = await until(async () => {
    const { rows } = await pool.query(`select id from panel.operations where state = 'blocked'`)
    return rows[0] ?? false
  })
  t.strictSame(await domains(), ['alice.example', 'shop.example'])
  t.match(await add('reserved.example'), { code: 1, stderr: /is taken/ }, 'its name is reserved')
  t.equal((await callPanel(['jobs', 'cancel', id], environment)).code, 0)
  t.match(await blocked, { code: 1, stderr: /nothing was done/ })
  gate.open()
  t.equal((await suspend).status, 200)
  const { rowCount } = await pool.query(`select from panel.site_names where name ~ 'blocked'`)
  t.equal(rowCount, 0)
})

t.test('a suspended account’s website is added suspended, and works with the others', async t => {
  t.equal((await add('held.example')).code, 0)
  t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'suspended' } })
  t.equal((await call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  t.equal((await rm('held.example')).code, 0)
})

t.test(
  'a removed website is gone but for its files, and the domain is the oldest left',
  async t => {
    const before = websites()
    const removed = await rm('alice.example', '--json')
    t.match(removed.json(), { domain: 'shop.example', sites: { length: 1 } })
    t.equal(websites(), before - 1)
    t.notOk(folder('sites/alice.example'))
    t.ok(folder('files/removed-alice.example/public/index.html'))
    t.equal((await rm('shop.example')).code, 0, 'the last may go')
    t.match(await call('GET', '/api/v1/accounts/alice'), { body: { domain: null, sites: [] } })
    t.strictSame((await seen('site.deleted')).slice(-2), ['alice.example', 'shop.example'])
    t.equal((await add('alice.example')).code, 0, 'its name is free')
    t.ok(folder('sites/alice.example/public/index.html'))
  },
)

t.test('one of two removals is done and the other finds none', async t => {
  gate.close()
  const first = rm('alice.example')
  await gate.reached()
  const second = rm('alice.example')
  await until(async () =>
    Boolean((await pool.query(`select from panel.operations where state = 'blocked'`)).rowCount),
  )
  gate.open()
  t.equal((await first).code, 0)
  t.match(await second, { code: 1, stderr: /Unknown website: alice\.example/ })
  t.equal((await seen('site.deleted')).filter(name => name === 'alice.example').length, 2)
})

t.test('a website that is being removed is taken, and stays if its removal fails', async t => {
  t.equal((await add('kept.example')).code, 0)
  const events = async () => [await seen('site.created'), await seen('site.deleted')]
  const before = await events()
  gate.close()
  failing = step => step === 'websites'
  const removal = rm('kept.example')
  await gate.reached()
  t.match(await add('kept.example'), { code: 1, stderr: /kept\.example is taken/ })
  gate.open()
  t.match(await removal, { code: 1 })
  failing = () => false
  // Its undo has failed too.
  await pool.query('update panel.accounts set apply_due_at = now() where not is_applied')
  await until(async () => (await lane()).every(({ is_applied }) => is_applied))
  t.ok((await domains()).includes('kept.example'))
  t.ok(folder('sites/kept.example/public/index.html'))
  t.strictSame(await events(), before)
  t.equal((await rm('kept.example')).code, 0)
  t.equal((await add('kept.example')).code, 0, 'its name is free')
  t.equal((await rm('kept.example')).code, 0)
})

t.test('the job shows the caller and the channel', async t => {
  const { rows } = await pool.query(
    `select id from panel.operations where name = 'site/add' and status = 200 limit 1`,
  )
  const shown = (await callPanel(['jobs', 'show', rows[0].id, '--json'], environment)).json()
  t.match(shown, { task: 'site/add', asked_by: 'root', account: 'alice' })
})

t.test('a package that becomes smaller takes no website away, and gives none', async t => {
  await call('PUT', '/api/v1/packages/pair', { body: { max_sites: 2 } })
  const body = { ...alice, username: 'erin', domain: 'erin.example', package: 'pair' }
  t.equal((await call('POST', '/api/v1/accounts', { body })).status, 201)
  t.equal((await site('add', 'erin', 'erin2.example')).code, 0)
  for (const max_sites of [1, 0]) {
    const put = await call('PUT', '/api/v1/packages/pair', { body: { max_sites } })
    t.match(put, { status: 200, body: { max_sites } })
    for (const word of ['suspend', 'unsuspend']) {
      const changed = await call('POST', `/api/v1/accounts/erin/${word}`)
      t.match(changed, { status: 200, body: { sites: { length: 2 } } })
    }
    const stderr = /allows|no website/
    t.match(await site('add', 'erin', 'erin3.example'), { code: 1, stderr }, `${max_sites}`)
  }
})
