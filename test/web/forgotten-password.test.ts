import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { courierOn } from '../support/courier.ts'
import { readMail, relayOn } from '../support/own-mail.ts'
import { alice } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { openWeb } from '../support/web/browser.ts'
import { openBrowser } from '../support/web/person.ts'
import { signIn } from '../support/web/signed-in.ts'

const { panel, visit } = await openWeb(t)
const { pool } = panel
const old = 'the old password of it'
const fresh = 'a quite new password'
const boss = { name: 'boss', role: 'administrator', email: 'Boss@example.com' } as const
await addOperator(pool, { ...boss, password: old })
const browser = () => openBrowser(panel.baseUrl)
const forget = () => pool.query('delete from panel.sign_in_attempts')

t.test('without a relay the page names the contact', async t => {
  const page = async () => (await visit('/sign-in/password')).text
  t.match((await visit('/sign-in')).text, 'href="/sign-in/password"')
  t.match(await page(), 'Ask the operator of')
  t.notMatch(await page(), '<form')
  for (const [contact, shown] of [
    ['help@example.com', '<a href="mailto:help@example.com"><bdi>help@example.com</bdi></a>'],
    ['https://x.example/?a=1&b', '<a href="https://x.example/?a=1&amp;b">'],
    ['javascript:alert(1)', '<bdi>javascript:alert(1)</bdi>'],
    ['<b>+49 30 1', '<bdi>&lt;b&gt;+49 30 1</bdi>'],
  ] as const) {
    await pool.query('update panel.server set support_contact = $1', [contact])
    t.match(await page(), shown)
  }
  t.equal((await browser().submit('/sign-in/password', { username: 'alice' })).status, 200)
  const { rows } = await pool.query('select from panel.password_requests')
  t.equal(rows.length, 0)
})

t.test('administrators set the contact on a page', async t => {
  const admin = await signIn(panel)
  const path = '/server/settings/support-contact'
  const read = async () => (await pool.query('select support_contact from panel.server')).rows[0]
  for (const [contact, status, stored] of [
    ['help@example.com', 303, 'help@example.com'],
    ['x'.repeat(201), 422, 'help@example.com'],
    ['a\u0007b', 422, 'help@example.com'],
    ['', 303, null],
  ] as const) {
    t.equal((await admin.submit(path, { contact })).status, status)
    t.strictSame(await read(), { support_contact: stored })
  }
})

t.test('with a relay', async t => {
  const smtp = await relayOn(t, pool)
  await courierOn(t, panel.databaseUrl)
  const request = async (username: string) => {
    const sent = await browser().submit('/sign-in/password', { username })
    t.match(sent, { status: 303, headers: { location: '/sign-in?password=requested' } }, username)
  }
  const answered = () =>
    until(async () => (await pool.query('select from panel.password_requests')).rowCount === 0)
  /** Returns the paths of the links that this sends, by name. */
  const linksFor = async (username: string) => {
    smtp.received.length = 0
    await forget()
    await pool.query(`update panel.password_links set created_at = now() - interval '2 hours'`)
    await request(username)
    t.ok(await answered())
    const links = smtp.received.map(mail => {
      const { body } = readMail(mail)
      const [, path = ''] = /https:\/\/panel\.test:8443(\/sign-in\/password\/[\w-]{43})\n/.exec(
        body,
      )!
      const [, name = ''] = /password was requested for (\S+) on/.exec(body)!
      return { to: mail.to[0], name, path }
    })
    return links.sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  await t.test('a customer chooses a password by a link, once', async t => {
    const signedIn = browser()
    await signedIn.submit('/sign-in', { username: 'alice', password: alice.password })
    t.equal((await signedIn.get('/account')).status, 200)
    const [link] = await linksFor(' Alice ')
    t.match(link, { to: alice.email, name: 'alice' })
    const { head } = readMail(smtp.received[0]!)
    t.match(head, /^From: .*<panel@mail\.example\.net>$/m)
    t.match(head, /^Subject: Choose a new password for alice$/m)
    t.match(head, /^Auto-Submitted: auto-generated$/m)
    const page = await visit(link!.path)
    t.match(page, { status: 200, headers: { 'referrer-policy': 'no-referrer' } })
    t.match(page.text, 'The password is for SFTP too')
    t.equal((await visit(link!.path)).status, 200, 'looking uses nothing up')
    const short = await browser().submit(link!.path, { password: 'short' })
    t.match(short, { status: 422, text: /at least 8 characters/ })
    const foreign = { method: 'POST', headers: { origin: 'https://evil.example' } }
    t.equal((await visit(link!.path, foreign)).status, 403)

    const done = await browser().submit(link!.path, { password: fresh })
    t.match(done, { status: 303, headers: { location: '/sign-in?password=changed' } })
    t.match((await visit('/sign-in?password=changed')).text, 'Your password was changed')
    t.equal((await signedIn.get('/account')).status, 303, 'other sessions have ended')
    const again = await browser().submit(link!.path, { password: 'another one of mine' })
    t.match(again, { status: 410, text: /This link has expired/ })
    t.equal((await visit(link!.path)).status, 410)
    await forget()
    const entered = await browser().submit('/sign-in', { username: 'alice', password: fresh })
    t.equal(entered.headers.location, '/account')
    const { rows } = await pool.query(
      `select count(*)::int as n from panel.sessions where account_id is not null
       and expires_at > now() and not panel.is_session_void(id)`,
    )
    t.equal(rows[0].n, 1, 'no session is left of the link')
  })

  await t.test('a link is not used up by a failure before the change', async t => {
    const [link] = await linksFor('alice')
    await pool.query(
      `create function panel.fail() returns trigger language plpgsql as
       $$ begin raise exception 'no session can be opened'; end; $$;
       create trigger fail before insert on panel.sessions
       for each row execute function panel.fail()`,
    )
    const failed = await browser().submit(link!.path, { password: fresh })
    t.equal(failed.status, 500)
    await pool.query('drop function panel.fail() cascade')
    const done = await browser().submit(link!.path, { password: fresh })
    t.match(done, { status: 303, headers: { location: '/sign-in?password=changed' } })
    await forget()
  })

  await t.test('an operator, by e-mail address: tokens end, the second factor stays', async t => {
    const { id } = (await pool.query(`select id from panel.operators where name = 'boss'`)).rows[0]
    await createToken(pool, { owner: 'boss', name: 'old' })
    await pool.query(
      `insert into panel.second_factors (operator_id, secret, confirmed_at, last_step)
       values ($1, $2, now(), 1)`,
      [id, Buffer.alloc(40)],
    )
    const [link] = await linksFor('boss@EXAMPLE.com')
    t.match(link, { to: 'Boss@example.com', name: 'boss' })
    await pool.query(`insert into panel.sign_in_ranges values ('192.0.2.0/24')`)
    t.equal((await browser().submit(link!.path, { password: fresh })).status, 403)
    await pool.query('delete from panel.sign_in_ranges')
    const both = await Promise.all(
      [1, 2, 3].map(() => browser().submit(link!.path, { password: fresh })),
    )
    t.strictSame(both.map(({ status }) => status).sort(), [303, 410, 410], 'once, also at once')
    await forget()
    const entered = await browser().submit('/sign-in', { username: 'boss', password: fresh })
    t.equal(entered.headers.location, '/sign-in/code')
    const valid = await pool.query(
      `select from panel.tokens t join panel.operators o on o.id = t.operator_id
       where o.name = 'boss' and t.credential_epoch = o.credential_epoch`,
    )
    t.equal(valid.rowCount, 0)
    await pool.query('delete from panel.second_factors')
  })

  await t.test('an address that several have signs none of them in; each gets a link', async t => {
    const bob = { ...alice, username: 'bob', domain: 'bob.example.com', password: old }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body: bob })).status, 201)
    await forget()
    const byAddress = async (email: string, password: string) => {
      const { status, text } = await browser().submit('/sign-in', { username: email, password })
      return { status, sentence: /class="notice bad"[^]*?<p>([^<]*)/.exec(text)?.[1] }
    }
    const shared = await byAddress(alice.email, old)
    t.equal(shared.status, 422)
    t.strictSame(
      await byAddress('unknown@example.com', old),
      shared,
      'the same as for an unknown one',
    )
    const links = await linksFor(alice.email)
    t.strictSame(
      links.map(({ name, to }) => [name, to]),
      [
        ['alice', alice.email],
        ['bob', alice.email],
      ],
    )
    await browser().submit(links[1]!.path, { password: 'the new one of bob' })
    await forget()
    const asBob = { username: 'bob', password: 'the new one of bob' }
    t.equal((await browser().submit('/sign-in', asBob)).headers.location, '/account')
    t.equal(
      (await browser().submit('/sign-in', { ...asBob, username: 'alice' })).status,
      422,
      'the other one’s is unchanged',
    )
    await pool.query(`update panel.accounts set email = 'bob@example.com' where username = 'bob'`)
    t.equal((await byAddress('Bob@Example.com ', 'the new one of bob')).status, 303)
  })

  await t.test(
    'the unknown, the suspended and odd texts get the same answer and no mail',
    async t => {
      await panel.call('POST', '/api/v1/accounts/bob/suspend', { body: { reason: 'x' } })
      for (const entered of [
        'unknown',
        'x@example.com',
        'bob',
        "'; drop",
        '\u{1f600}'.repeat(400),
      ]) {
        t.strictSame(await linksFor(entered), [], entered)
      }
      t.equal((await browser().submit('/sign-in/password', { username: ' ' })).status, 422)
    },
  )

  await t.test('a person gets three links an hour, an address may request ten', async t => {
    await linksFor('alice')
    await pool.query(`update panel.password_links set created_at = now() - interval '2 hours'`)
    smtp.received.length = 0
    for (const entered of ['alice', 'alice', alice.email, alice.email, 'alice', 'alice']) {
      await request(entered)
      await answered()
    }
    t.equal(smtp.received.length, 3)
    const many = Array.from({ length: 4 }, (_, at) => `unknown${at}`)
    const answers = []
    for (const username of many) {
      answers.push((await browser().submit('/sign-in/password', { username })).status)
    }
    t.equal(answers.at(-1), 429)
  })

  await t.test('a link expires, and a later password voids it', async t => {
    const [first] = await linksFor('alice')
    await pool.query(`update panel.password_links set created_at = now() - interval '30 minutes'`)
    t.equal((await visit(first!.path)).status, 410)
    const [second] = await linksFor('alice')
    await panel.call('PUT', '/api/v1/accounts/alice/password', { body: { password: old } })
    t.equal((await visit(second!.path)).status, 410)
  })

  await t.test('a mail that fails is tried again, and the administrator sees why', async t => {
    smtp.mode = 'refuses-message'
    await forget()
    await pool.query('delete from panel.password_links')
    smtp.received.length = 0
    await request('alice')
    t.ok(
      await until(async () => {
        const { rows } = await pool.query('select error from panel.own_mail_state')
        return /looks like spam/.test(rows[0].error ?? '')
      }),
    )
    t.equal((await pool.query('select from panel.password_links')).rowCount, 0)
    smtp.mode = 'accepts'
    await pool.query(`update courier_queue._private_jobs set run_at = now()`)
    await pool.query(`select pg_notify('jobs:insert', '{"count":1}')`)
    t.ok(await answered())
    t.equal(smtp.received.length, 1)
    t.match((await pool.query('select error from panel.own_mail_state')).rows, [{ error: null }])
  })

  await t.test('no row has the secret of a link', async t => {
    const [link] = await linksFor('alice')
    const secret = link!.path.split('/').at(-1)!
    const inHex = Buffer.from(secret).toString('hex')
    const { rows } = await pool.query(
      `select l::text as s from panel.password_links l
       union all select o::text from panel.operations o
       union all select h::text from panel.history h`,
    )
    t.notOk(rows.some(({ s }) => s.includes(secret) || s.includes(inHex)))
  })
})
