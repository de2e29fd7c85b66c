import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compareSync } from 'bcryptjs'
import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { makeMailFolders } from '../support/host/mail-folders.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Mail of accounts by the API and by commands, on the sandbox, which has no daemons.

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
  panel.call(method, `/api/v1/accounts/alice/${path}`, { token, body, ...more })
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
const command = (...words: string[]) => callPanel(['mail', ...words], environment)
const text = (name: string) => {
  const path = join(root, 'etc/panel-mail', name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
const events = async (name: string) => {
  const { rows } = await pool.query('select body from panel.events where name = $1 order by id', [
    name,
  ])
  return rows.map(({ body }) => JSON.parse(body).data)
}

await panel.call('PUT', '/api/v1/packages/starter', { body: { max_mailboxes: 2 } })
await panel.call('POST', '/api/v1/accounts', { body: alice })
await panel.call('POST', '/api/v1/accounts', {
  body: { ...alice, username: 'bob', domain: 'bob.example', email: 'bob@example.com' },
})
const password = 'correct horse battery'
const box = { mailbox: 'info@alice.example', password }

t.test('a server without mail has no mail domains', async t => {
  const refused = await call('POST', 'mail-domains', { domain: 'alice.example' })
  t.match(refused, { status: 400, body: { error: 'This server has no mail service' } })
  t.equal(refused.headers.get('x-panel-reason'), 'mail_off')
})

t.test('a domain is pending, with its key, until it is proved', async t => {
  makeMailFolders(root)
  await pool.query(`update panel.server set mail = '{"host": "mail.example.net"}'`)
  const body = { domain: 'Alice.Example' }
  const added = await call('POST', 'mail-domains', body, { key: 'domain' })
  t.match(added, { status: 201, body: { domain: 'alice.example', state: 'pending' } })
  t.match(added.body.dkim.value, /^v=DKIM1; k=rsa; p=MIIB[A-Za-z0-9+/]{300,}=*$/)
  t.equal((await call('POST', 'mail-domains', body, { key: 'domain' })).text, added.text)
  t.strictSame(await events('mail.domain_created'), [
    { username: 'alice', domain: 'alice.example' },
  ])
  t.strictSame((await call('GET', 'mail-domains')).body.mail_domains, [added.body])
  t.notMatch(text('domains'), 'alice.example')
  const seen = (found: string | null) =>
    pool.query('select panel.record_mail_domain_seen($1, $2) as state', ['alice.example', found])
  t.match((await seen(null)).rows, [{ state: 'pending' }])
  t.match((await seen('mx')).rows, [{ state: 'active' }], 'a website of the account')
  t.ok(await until(async () => text('domains').includes('alice.example'), 20_000))
  t.match((await call('GET', 'mail-domains')).body, { mail_domains: [{ state: 'active' }] })
  // A week elsewhere.
  await seen(null)
  t.match((await call('GET', 'mail-domains')).body.mail_domains[0].missing_since, /Z$/)
  await pool.query(`update panel.mail_domains set missing_since = now() - interval '8 days'`)
  t.match((await seen(null)).rows, [{ state: 'pending' }])
  t.ok(await until(async () => !text('domains').includes('alice.example'), 20_000))
  await seen('txt')
  t.ok(await until(async () => text('domains').includes('alice.example'), 20_000))
})

t.test('a lost key is made again, and its record changes', async t => {
  const dkim = async () => (await call('GET', 'mail-domains/alice.example')).body.dkim.value
  const before = await dkim()
  const folder = join(root, 'var/lib/panel-mail/dkim')
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  const rebuild = () => callPanel(['ctl', 'rebuild', 'alice'], environment)
  t.equal((await rebuild()).code, 0)
  t.ok(await until(async () => (await dkim()) !== before, 20_000))
  const after = await dkim()
  t.equal((await rebuild()).code, 0)
  t.equal(await dkim(), after, 'a key that is there stays')
})

t.test('the name of the mail server is no customer’s', async t => {
  for (const domain of ['mail.example.net', 'www.mail.example.net', 'a.mail.example.net']) {
    for (const path of ['sites', 'mail-domains']) {
      t.match(await call('POST', path, { domain }), { status: 400 }, `${path}: ${domain}`)
    }
  }
})

t.test('domains of others, and those around them, are refused', async t => {
  const own = `select panel.record_mail_domain_seen('alice.example', 'mx')`
  await pool.query(own)
  const other = (domain: string) =>
    panel.call('POST', '/api/v1/accounts/bob/mail-domains', { token, body: { domain } })
  for (const domain of ['alice.example', 'shop.alice.example']) {
    t.match(await other(domain), { status: 400, body: { error: /taken/ } }, domain)
  }
  const again = await call('POST', 'mail-domains', { domain: 'alice.example' })
  t.match(again, { status: 400, body: { error: /already/ } })
  for (const domain of ['co.uk', 'localhost', '1.2.3.4', 'a b.example', '../etc', '']) {
    t.match(await call('POST', 'mail-domains', { domain }), { status: 400 }, domain)
  }
  // A mail domain that is proved keeps websites of others away, too.
  await call('POST', 'mail-domains', { domain: 'post.example' })
  await pool.query(`select panel.record_mail_domain_seen('post.example', 'mx')`)
  t.match((await call('GET', 'mail-domains')).body.mail_domains[1], { state: 'pending' })
  await pool.query(`select panel.record_mail_domain_seen('post.example', 'txt')`)
  for (const domain of ['post.example', 'www.post.example', 'a.post.example']) {
    const path = '/api/v1/accounts/bob/sites'
    t.match(await panel.call('POST', path, { token, body: { domain } }), { status: 400 }, domain)
  }
  const third = await call('POST', 'mail-domains', { domain: 'third.example' })
  t.match(third, { status: 400, body: { error: /allows 2 mail domains/ } })
  t.match(await call('DELETE', 'mail-domains/post.example'), { status: 200 })
  t.match(await call('DELETE', 'mail-domains/post.example'), { status: 404 })
})

t.test('a mailbox is known to Dovecot, and its password nowhere', async t => {
  const added = await call('POST', 'mailboxes', box, { key: 'box' })
  t.match(added, { status: 201, body: { mailbox: box.mailbox, quota_mb: 1024 } })
  t.equal((await call('POST', 'mailboxes', box, { key: 'box' })).text, added.text)
  t.strictSame(await events('mail.mailbox_created'), [{ username: 'alice', mailbox: box.mailbox }])
  const hashOf = () => /\{BLF-CRYPT\}([^:]+):/.exec(text('passwd/alice.example'))?.[1] ?? ''
  t.ok(compareSync(password, hashOf()))
  t.match(hashOf(), /^\$2b\$10\$/)
  const before = hashOf()
  const other = { password: 'another horse battery' }
  t.match(await call('PUT', `mailboxes/${box.mailbox}/password`, other), { status: 200 })
  t.not(hashOf(), before)
  t.ok(compareSync(other.password, hashOf()))
  const { rows } = await pool.query(
    `select coalesce(string_agg(o::text, ' '), '') || (
       select coalesce(string_agg(j::text, ' '), '') from worker_queue._private_jobs j) as text
     from panel.operations o`,
  )
  for (const secret of [password, other.password]) t.notMatch(rows[0].text, secret)
})

t.test('invalid and hostile mailboxes are refused, and change nothing', async t => {
  const before = text('passwd/alice.example')
  const names = ['', 'INFO', '.a', 'a..b', 'a.', 'a+b', 'a%b', 'a/b', '..', 'a b', 'a\n', 'é']
  for (const name of [...names, 'x'.repeat(65), 'a:b', '"a"', 'a,b', '-a', '|sh', '@']) {
    const mailbox = `${name}@alice.example`
    t.match(await call('POST', 'mailboxes', { ...box, mailbox }), { status: 400 }, mailbox)
  }
  const long = { ...box, mailbox: 'x@alice.example', password: 'é'.repeat(37) }
  t.match(await call('POST', 'mailboxes', long), { status: 400, body: { error: /72 bytes/ } })
  const mailbox = 'x@bob.example'
  t.match(await call('POST', 'mailboxes', { ...box, mailbox }), { status: 404 })
  t.match(await call('POST', 'mailboxes', box), { status: 400, body: { error: /already/ } })
  t.match(await call('PATCH', `mailboxes/${box.mailbox}`, {}), { status: 400 })
  t.match(await call('PATCH', 'mailboxes/none@alice.example', { quota_mb: 5 }), { status: 404 })
  t.equal(text('passwd/alice.example'), before)
  const more = (name: string) =>
    call('POST', 'mailboxes', { ...box, mailbox: `${name}@alice.example` })
  const both = await Promise.all([more('one'), more('two')])
  t.strictSame(both.map(({ status }) => status).sort(), [201, 400], 'the package allows 2')
  t.match(both.find(({ status }) => status === 400)?.body, { error: /allows 2 mailboxes/ })
})

t.test('settings of a mailbox, aliases and a catch-all', async t => {
  const path = `mailboxes/${box.mailbox}`
  const away = { subject: 'Away', message: 'Until Monday.\r\nBye', days: 3 }
  const set = await call('PATCH', path, { quota_mb: 50, autoresponder: away })
  const shown = { ...away, message: 'Until Monday.\nBye' }
  t.match(set, { status: 200, body: { quota_mb: 50, autoresponder: shown } })
  t.match(text('passwd/alice.example'), '=50M')
  t.match(await call('PATCH', path, { autoresponder: null }), { body: { autoresponder: null } })
  const bad = { ...away, subject: 'a\nBcc: b' }
  t.match(await call('PATCH', path, { autoresponder: bad }), { status: 400 })
  const filters = [
    { header: 'subject', contains: 'a "b\\" }', folder: 'Bills.2026' },
    { header: 'to', contains: 'list@', folder: null },
  ]
  t.match(await call('PATCH', path, { filters }), { status: 200, body: { filters } })
  const { rows } = await pool.query(`select uid from panel.accounts where username = 'alice'`)
  const script = `home/.panel-mail/${rows[0].uid}/alice.example/info/filters.sieve`
  const act = 'fileinto :create "Bills.2026";'
  t.match(readFileSync(join(root, script), 'utf8'), `"subject" "a \\"b\\\\\\" }" {\n  ${act}`)
  const wrong = [{ folder: '../x' }, { folder: 'a";' }, { contains: 'a\nb' }, { header: 'x' }]
  for (const one of wrong) {
    t.match(await call('PATCH', path, { filters: [{ ...filters[0], ...one }] }), { status: 400 })
  }
  t.match(await call('PATCH', path, { filters: Array(51).fill(filters[1]) }), { status: 400 })
  t.match(await call('PATCH', path, { filters: [] }), { status: 200, body: { filters: [] } })
  t.notOk(existsSync(join(root, script)))

  const alias = 'mail-aliases/contact@alice.example'
  const targets = [box.mailbox, 'A.b+c@elsewhere.example']
  t.match(await call('PUT', alias, { targets }), { status: 200, body: { targets } })
  t.match(text('aliases'), `contact@alice.example ${targets.join(', ')}\n`)
  t.match(await call('PUT', alias, { targets: [box.mailbox] }), { status: 200 })
  t.match(text('aliases'), `contact@alice.example ${box.mailbox}\n`)
  const no = [
    '|sh',
    '/etc/passwd',
    ':include:/x',
    'a@b',
    '"a b"@c.example',
    'a,b@c.example',
    'a@c\n',
  ]
  for (const one of no) t.match(await call('PUT', alias, { targets: [one] }), { status: 400 }, one)
  t.match(await call('PUT', alias, { targets: [] }), { status: 400 })
  t.match((await call('GET', 'mail-aliases')).body.mail_aliases.length, 1)

  const domain = 'mail-domains/alice.example'
  const refused = await call('PATCH', domain, { catch_all: box.mailbox })
  t.equal(refused.headers.get('x-panel-reason'), 'catch_all_not_allowed')
  await panel.call('PUT', '/api/v1/packages/starter', { body: { mail_catch_all: true } })
  t.match(await call('PATCH', domain, { catch_all: box.mailbox }), { status: 200 })
  t.match(text('aliases'), `@alice.example ${box.mailbox}\n`)
  t.match(await call('PATCH', domain, { catch_all: '' }), { body: { catch_all: null } })
  t.notMatch(text('aliases'), /^@/m)
})

t.test('a change that fails is undone', async t => {
  const files = () => ['passwd/alice.example', 'aliases', 'mailboxes', 'domains'].map(text)
  const before = files()
  failing = step => step === 'mailboxes'
  const alias = 'mail-aliases/contact@alice.example'
  const changes: [method: string, path: string, body: object][] = [
    ['PUT', `mailboxes/${box.mailbox}/password`, { password: 'yet another horse' }],
    ['PATCH', `mailboxes/${box.mailbox}`, { quota_mb: 77 }],
    ['DELETE', `mailboxes/${box.mailbox}`, {}],
    ['PUT', alias, { targets: ['x@elsewhere.example'] }],
    ['PUT', 'mail-aliases/new@alice.example', { targets: ['x@elsewhere.example'] }],
    ['DELETE', alias, {}],
    ['POST', 'mail-domains', { domain: 'new.example' }],
  ]
  const listed = async () =>
    JSON.stringify(
      await Promise.all(
        ['mail-domains', 'mailboxes', 'mail-aliases'].map(
          async path => (await call('GET', path)).body,
        ),
      ),
    )
  const rows = await listed()
  for (const [method, path, body] of changes) {
    failing = step => step === 'mailboxes'
    t.match(await call(method, path, body), { status: 500 }, `${method} ${path}`)
    failing = () => false
    const isApplied = 'select is_applied from panel.accounts where username = $1'
    await until(async () => (await pool.query(isApplied, ['alice'])).rows[0].is_applied, 20_000)
    t.equal(await listed(), rows, `${method} ${path}`)
    t.strictSame(files(), before, `${method} ${path}`)
  }
  t.equal((await events('mail.domain_created')).length, 2)
})

t.test('commands do the same', async t => {
  t.match(await command('domain', 'ls', 'alice'), { code: 0, stdout: /alice\.example +active/ })
  const given = ['alice', 'one@alice.example', 'two@alice.example']
  const listed = JSON.parse((await command('mailbox', 'ls', 'alice', '--json')).stdout)
  t.equal(listed.mailboxes.length, 2)
  const extra = listed.mailboxes.find((one: { mailbox: string }) => given.includes(one.mailbox))
  t.match(await command('mailbox', 'rm', 'alice', extra.mailbox, '--yes'), { code: 0 })
  const added = await command('mailbox', 'add', 'alice', 'cli@alice.example', '--json')
  t.match(added, { code: 0 }, added.stderr)
  t.ok(JSON.parse(added.stdout).password.length >= 20)
  const set = await command('mailbox', 'set', 'alice', 'cli@alice.example', '--quota-mb', '9')
  t.match(set, { code: 0, stdout: /quota +9 MB/ }, set.stderr)
  t.match(await command('alias', 'set', 'alice', 'b@alice.example', 'no'), { code: 2 })
  t.match(await command('alias', 'set', 'alice', 'b@alice.example', 'c@d.example'), { code: 0 })
  t.match(await command('alias', 'ls', 'alice'), { stdout: /b@alice.example +c@d.example/ })
  t.match(await command('alias', 'rm', 'alice', 'b@alice.example', '--yes'), { code: 0 })
  t.match(await command('domain', 'rm', 'alice', 'alice.example', '--yes'), {
    ...{ code: 1, stderr: /has mailboxes: remove them first/ },
  })
})

t.test('a suspension and a termination include the mail', async t => {
  await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.match(text('passwd/alice.example'), /[.]{53}/)
  t.notMatch(text('senders'), 'alice.example')
  t.match(text('mailboxes'), box.mailbox)
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  t.notMatch(text('passwd/alice.example'), /[.]{53}/)
  t.match(text('senders'), box.mailbox)
  t.match(await panel.call('DELETE', '/api/v1/accounts/alice'), { status: 200 })
  t.equal(text('passwd/alice.example'), '')
  t.notMatch(text('mailboxes') + text('domains') + text('aliases'), 'alice.example')
  t.strictSame((await pool.query('select from panel.mail_domains')).rows, [])
})
