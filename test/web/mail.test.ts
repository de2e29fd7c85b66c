import { randomUUID } from 'node:crypto'
import t from 'tap'
import { makeMailFolders } from '../support/host/mail-folders.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// Mail of accounts by pages: a customer's own, and those of operators.

const panel = await openPanel(t)
const { call, pool, root } = panel
await call('PUT', '/api/v1/packages/starter', { body: { max_mailboxes: 2 } })
await call('POST', '/api/v1/accounts', { body: alice })
await call('POST', '/api/v1/accounts', {
  body: { ...alice, username: 'bob', domain: 'bob.example' },
})
const customer = await signInAs(panel, 'alice')
const admin = await signIn(panel)
const base = '/account/mail'
const password = 'correct horse battery'
const info = 'info@alice.example'
const encoded = encodeURIComponent(info)
const rows = async (sql: string) => (await pool.query(sql)).rows
const errors = (text: string) => [...text.matchAll(/id="field-(\w+)-error"/g)].map(([, of]) => of)

// The page of the job, where the worker takes longer than a form waits.
const leadsTo = (path: string): RegExp =>
  new RegExp(`^(${path}|(/account)?/jobs/[-\\w]+[?]then=${encodeURIComponent(path)})$`)

t.test('without mail, no link leads to the pages, and they say so', async t => {
  for (const [person, home, path] of [
    [customer, '/account', base],
    [admin, '/accounts/alice', '/accounts/alice/mail'],
  ] as const) {
    t.notMatch((await person.get(home)).text, `href="${path}"`)
    t.match(await person.get(path), { status: 200, text: /This server has no mail/ })
    const form = await person.get(`${path}/domains/new`)
    t.match(form, { status: 200, text: /no mail service on this server/ })
    t.notMatch(form.text, 'name="domain"')
    const sent = await person.submit(`${path}/domains/new`, { domain: 'alice.example' })
    t.match(sent, { status: 422 })
  }
  makeMailFolders(root)
  await pool.query(`update panel.server set mail = '{"host": "mail.example.net"}'`)
  t.match((await customer.get('/account')).text, `href="${base}"`)
  t.match((await admin.get('/accounts/alice')).text, 'href="/accounts/alice/mail"')
})

t.test('a domain is added once, with its records and what is missing', async t => {
  t.match((await customer.get(base)).text, 'No mail domain yet')
  const path = `${base}/domains/new`
  t.match((await customer.get(path)).text, 'room for 2 more mail domains')
  t.match(await customer.submit(`${base}/mailboxes/new`), { status: 422 })
  for (const domain of ['', 'a b', 'localhost', '../etc', '<b>.example', 'bob.example']) {
    const sent = await customer.submit(path, { domain })
    t.equal(sent.status, 422, domain)
    t.strictSame(errors(sent.text), ['domain'], domain)
  }
  const key = randomUUID()
  const once = await customer.submit(path, { domain: 'Alice.Example' }, { key })
  t.match(once, { status: 303, headers: { location: leadsTo(`${base}/domains/alice.example`) } })
  const twice = await customer.submit(path, { domain: 'Alice.Example' }, { key })
  t.equal(twice.headers.location, once.headers.location)
  t.equal((await rows('select from panel.mail_domains')).length, 1)
  const { text } = await customer.get(`${base}/domains/alice.example`)
  for (const shown of [
    ...['pending', 'set its MX record.', 'not checked', 'v=spf1 mx -all', 'v=DMARC1; p=none'],
    ...['v=DKIM1; k=rsa; p=MIIB', 'data-copy="10 mail.example.net."', 'data-copy="993"'],
  ]) {
    t.ok(text.includes(shown), shown)
  }
  t.notMatch(text, '_panel-mail.', 'a website of the account proves it')
  await customer.submit(path, { domain: 'post.example' })
  t.match((await customer.get(`${base}/domains/post.example`)).text, /_panel-mail\.post\.example/)
  t.match((await customer.get(path)).text, /no more than 2 mail domains|allows 2 mail domains/)
})

t.test('a domain is active, or leads elsewhere until a day', async t => {
  const shown = async () => (await customer.get(`${base}/domains/alice.example`)).text
  const seen = (found: string | null) =>
    pool.query('select panel.record_mail_domain_seen($1, $2)', ['alice.example', found])
  await seen(null)
  t.match(await shown(), 'not found at the last check')
  await seen('mx')
  t.match(await shown(), 'It gets mail, and')
  await pool.query(`
    insert into panel.mail_domain_records (domain_id, record, result, found, checked_at)
    select id, r.name, r.result, r.found, now()
    from panel.mail_domains, (values ('mx', 'ok', '{}'::text[]), ('dmarc', 'missing', '{}'),
      ('spf', 'wrong', array['v=spf1 <b> -all'])) r (name, result, found)
    where domain = 'alice.example'`)
  t.match(await shown(), 'Still missing or different: SPF, DMARC.')
  t.match(await shown(), /Found instead: <span class="mono">v=spf1 &lt;b&gt; -all/)
  const path = `${base}/domains/alice.example/check`
  const asked = await customer.submit(path)
  t.match(asked, { status: 303, headers: { location: leadsTo(`${base}/domains/alice.example`) } })
  t.equal((await customer.submit(path)).status, 303, 'a moment later')
  await seen(null)
  const text = await shown()
  t.match(text, 'leads elsewhere')
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)
  t.match(text, `it gets no mail after <time datetime="${day}`)
  await seen('mx')
})

t.test('a mailbox has all its errors at once, and keeps what was typed', async t => {
  const path = `${base}/mailboxes/new`
  const wrong = { local_part: 'a b', domain: 'alice.example', password: 'x\u0000', quota_mb: '0' }
  const sent = await customer.submit(path, { ...wrong, password: 'é'.repeat(40) })
  t.equal(sent.status, 422)
  t.strictSame(errors(sent.text), ['local_part', 'password', 'quota_mb'])
  t.match(sent.text, 'value="a b"')
  t.notMatch(sent.text, 'éé')
  const key = randomUUID()
  const whole = { local_part: 'Info', domain: 'alice.example', password, quota_mb: '2048' }
  const once = await customer.submit(path, whole, { key })
  t.match(once, { status: 303, headers: { location: leadsTo(`${base}/mailboxes/${encoded}`) } })
  t.equal((await customer.submit(path, whole, { key })).status, 303)
  t.equal((await rows('select from panel.mailboxes')).length, 1)
  const { text } = await customer.get(`${base}/mailboxes/${encoded}`)
  for (const shown of ['2 GB', `data-copy="${info}"`, 'data-copy="465"', 'data-copy="4190"']) {
    t.ok(text.includes(shown), shown)
  }
  t.notMatch(text, password)
  const taken = await customer.submit(path, whole)
  t.match(taken, { status: 422, text: /local_part-error">There is a mailbox info@alice.example/ })
  await customer.submit(path, { ...whole, local_part: 'sales' })
  t.match((await customer.get(path)).text, /no more than 2 mailboxes|allows 2 mailboxes/)
  t.match(await customer.submit(path, { ...whole, local_part: 'third' }), {
    status: 422,
    text: /allows 2 mailboxes/,
  })
})

t.test('a mailbox gets another password and size, and answers for a while', async t => {
  const path = `${base}/mailboxes/${encoded}`
  const [before] = await rows(`select hash from panel.mailboxes where local_part = 'info'`)
  t.match(await customer.submit(`${path}/password`, { password: '' }), { status: 422 })
  t.match(await customer.submit(`${path}/password`, { password: 'another horse' }), {
    ...{ status: 303, headers: { location: leadsTo(path) } },
  })
  const [after] = await rows(`select hash from panel.mailboxes where local_part = 'info'`)
  t.not(after.hash, before.hash)
  t.strictSame(errors((await customer.submit(`${path}/size`, { quota_mb: 'much' })).text), [
    'quota_mb',
  ])
  await customer.submit(`${path}/size`, { quota_mb: '512' })
  t.match((await customer.get(path)).text, '512 MB')
  const empty = await customer.submit(`${path}/autoresponder`, { days: '31', message: 'Kept' })
  t.strictSame(errors(empty.text), ['subject', 'days'])
  t.match(empty.text, 'Kept')
  const words = { subject: 'Away <b>', message: 'Back on Monday.\r\nBye', days: '3' }
  t.equal((await customer.submit(`${path}/autoresponder`, words)).status, 303)
  t.match((await customer.get(path)).text, /Away &lt;b&gt;/)
  t.match((await customer.get(path)).text, 'once in 3 days')
  t.match((await customer.get(`${path}/autoresponder`)).text, 'Back on Monday.\nBye')
  t.equal((await customer.submit(`${path}/autoresponder/end`)).status, 303)
  t.match((await customer.get(path)).text, 'answers no mail by itself')

  const filters = `${path}/filters`
  const wrong = await customer.submit(filters, { filters: 'to a -> B\nsubject <i> ->\n' })
  t.strictSame(errors(wrong.text), ['filters'])
  t.match(wrong.text, /line 2: the folder must be of letters/)
  t.match(wrong.text, 'subject &lt;i&gt; -&gt;', 'what was typed stays')
  const lines = 'Subject  <i>  -> Bills.2026\r\n\r\nfrom bad@x.example->delete'
  t.equal((await customer.submit(filters, { filters: lines })).status, 303)
  const shown = 'subject &lt;i&gt; -&gt; Bills.2026\nfrom bad@x.example -&gt; delete\n'
  t.match((await customer.get(filters)).text, shown)
  t.match((await customer.get(path)).text, 'subject &lt;i&gt; -&gt; Bills.2026')
  t.equal((await customer.submit(filters, { filters: '' })).status, 303)
  t.match((await customer.get(path)).text, 'All of its mail goes to the inbox')
})

t.test('an alias leads elsewhere, and a mailbox forwards with or without a copy', async t => {
  const path = `${base}/aliases/new`
  const wrong = { local_part: '', domain: 'alice.example', targets: 'me@example.com, nothing' }
  const sent = await customer.submit(path, wrong)
  t.strictSame(errors(sent.text), ['local_part', 'targets'])
  t.match(sent.text, /“nothing” must be an address/)
  const whole = { ...wrong, local_part: 'contact', targets: `${info}\r\nme@example.com` }
  const key = randomUUID()
  t.match(await customer.submit(path, whole, { key }), { status: 303 })
  t.match(await customer.submit(path, whole, { key }), { status: 303 }, 'a double click')
  t.match(await customer.submit(path, whole), { status: 422, text: /There is an alias/ })
  t.match(await customer.submit(path, { ...whole, local_part: 'info' }), {
    ...{ status: 422, text: /is a mailbox/ },
  })
  t.match((await customer.get(base)).text, `${info}, me@example.com`)
  t.match((await customer.get(`${base}/mailboxes/${encoded}`)).text, 'contact@alice.example')
  const alias = `${base}/aliases/${encodeURIComponent('contact@alice.example')}`
  await customer.submit(alias, { targets: 'you@example.com' })
  t.match((await customer.get(alias)).text, 'you@example.com')
  t.match((await customer.get(`${alias}/remove`)).text, 'no longer goes to you@example.com')
  t.equal((await customer.submit(`${alias}/remove`)).status, 303)
  t.equal((await customer.get(alias)).status, 404)
  const forward = `${base}/mailboxes/${encoded}/forward`
  const targets = async () =>
    (await rows(`select targets from panel.mail_aliases where local_part = 'info'`))[0]?.targets
  await customer.submit(forward, { targets: 'me@example.com', keeps: 'on' })
  t.strictSame(await targets(), [info, 'me@example.com'])
  t.match((await customer.get(`${base}/mailboxes/${encoded}`)).text, 'a copy stays in the mailbox')
  await customer.submit(forward, { targets: 'me@example.com' })
  t.strictSame(await targets(), ['me@example.com'])
  await customer.submit(forward, { targets: info })
  t.strictSame(await targets(), [info])
  t.equal((await customer.submit(`${base}/aliases/${encoded}/remove`)).status, 303)
})

t.test('a catch-all needs a package that allows it', async t => {
  const path = `${base}/domains/alice.example/catch-all`
  t.match((await customer.get(path)).text, 'The package allows no catch-all')
  t.match(await customer.submit(path, { catch_all: info }), { status: 422 })
  await call('PUT', '/api/v1/packages/starter', { body: { mail_catch_all: true } })
  t.strictSame(errors((await customer.submit(path, { catch_all: 'all' })).text), ['catch_all'])
  t.equal((await customer.submit(path, { catch_all: info })).status, 303)
  t.match((await customer.get(`${base}/domains/alice.example`)).text, info)
  t.match((await customer.get(`${base}/mailboxes/${encoded}/remove`)).text, '*@alice.example')
  t.equal((await customer.submit(path, { catch_all: '' })).status, 303)
})

t.test('others see and change nothing of it', async t => {
  await makeReseller(pool, 'rita')
  const bob = await signInAs(panel, 'bob')
  const rita = await signIn(panel, 'rita')
  const before = await rows('select * from panel.mailboxes order by id')
  for (const rest of [
    ...['', '/remove', '/check', '/catch-all'].map(part => `/domains/alice.example${part}`),
    ...['', '/password', '/size', '/autoresponder', '/filters', '/forward', '/remove'].map(
      part => `/mailboxes/${encoded}${part}`,
    ),
  ]) {
    for (const [person, path] of [
      [bob, base],
      [rita, '/accounts/alice/mail'],
    ] as const) {
      t.equal((await person.get(`${path}${rest}`)).status, 404, `${path}${rest}`)
      const fields = {
        ...{
          password,
          quota_mb: '1',
          confirm: rest.includes('mailboxes') ? info : 'alice.example',
        },
        ...{ subject: 'a', message: 'b', days: '1', targets: 'bob@example.com', keeps: '' },
      }
      const view = /example$/.test(rest)
      const sent = await person.submit(`${path}${rest}`, fields)
      t.ok([404, ...(view ? [405] : [])].includes(sent.status), `${path}${rest}: ${sent.status}`)
    }
  }
  // The domains of a form are options, and a sent one may be another's.
  const whole = { local_part: 'x', domain: 'alice.example', password, quota_mb: '1' }
  t.equal((await bob.submit(`${base}/mailboxes/new`, whole)).status, 404)
  const alias = { local_part: 'x', domain: 'alice.example', targets: 'bob@example.com' }
  t.equal((await bob.submit(`${base}/aliases/new`, alias)).status, 404)
  t.strictSame(await rows('select * from panel.mailboxes order by id'), before)
})

t.test('an administrator does the same for the account', async t => {
  const path = '/accounts/alice/mail'
  t.match((await admin.get(path)).text, info)
  const form = (await admin.get(`${path}/mailboxes/${encoded}/size`)).text
  t.match(form, 'panel mail mailbox set alice info@alice.example --quota-mb 512')
  t.match(form, '/api/v1/accounts/alice/mailboxes/info%40alice.example')
  t.equal(
    (await admin.submit(`${path}/mailboxes/${encoded}/size`, { quota_mb: '100' })).status,
    303,
  )
  t.match((await admin.get(`${path}/mailboxes/${encoded}`)).text, '100 MB')
})

t.test('a removal names what goes, and needs the name', async t => {
  const mailbox = `${base}/mailboxes/${encoded}/remove`
  t.match((await customer.get(mailbox)).text, `removed-${info}`)
  const domain = `${base}/domains/alice.example/remove`
  t.match((await customer.get(domain)).text, 'remove them first')
  t.match(await customer.submit(mailbox, { confirm: 'info' }), { status: 422 })
  const removed = await customer.submit(mailbox, { confirm: info })
  t.match(removed, { status: 303, headers: { location: leadsTo(base) } })
  t.equal((await customer.get(mailbox)).status, 404)
  const sales = encodeURIComponent('sales@alice.example')
  await customer.submit(`${base}/mailboxes/${sales}/remove`, { confirm: 'sales@alice.example' })
  t.match(await customer.submit(domain, { confirm: '' }), { status: 422 })
  t.match(await customer.submit(domain, { confirm: 'alice.example' }), { status: 303 })
  t.strictSame(await rows('select domain from panel.mail_domains'), [{ domain: 'post.example' }])
})
