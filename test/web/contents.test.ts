import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// Administrators and resellers add and remove an account's websites and databases on its page,
// while there is room, and a limit that is reached looks so.

const panel = await openPanel(t)
const { pool, call } = panel
const { token } = await makeReseller(pool, 'rita')
await makeReseller(pool, 'tom')
const body = { max_sites: 2, max_databases: 1 }
await call('PUT', '/api/v1/packages/starter', { body })
await call('PUT', '/api/v1/packages/small', { token, body })
await call('POST', '/api/v1/accounts', { body: alice })
const rob = { ...alice, username: 'rob', domain: 'rob.example', package: 'small' }
await call('POST', '/api/v1/accounts', { token, body: rob })
const admin = await signIn(panel)
const rita = await signIn(panel, 'rita')
const tom = await signIn(panel, 'tom')

const domains = async (username: string): Promise<string[]> => {
  const { body } = await call('GET', `/api/v1/accounts/${username}`)
  return (body as { sites: { domain: string }[] }).sites.map(({ domain }) => domain)
}

for (const [who, username] of [
  [admin, 'alice'],
  [rita, 'rob'],
] as const) {
  const path = `/accounts/${username}`
  const second = `${username}-two.example`

  t.test(`a website of ${username} is added, and none beyond the package`, async t => {
    t.match((await who.get(path)).text, `href="${path}/sites/new"`)
    t.match((await who.get(`${path}/sites/new`)).text, 'has room for 1 more website')
    const refused = await who.submit(`${path}/sites/new`, { domain: 'not a domain' })
    t.match(refused, { status: 422, text: /value="not a domain"/ })
    const sent = await who.submit(`${path}/sites/new`, { domain: second })
    t.match(sent, { status: 303, headers: { location: path } })
    t.strictSame(await domains(username), [`${username}.example`, second])
    const { text } = await who.get(path)
    t.match(text, '2 of 2, none left')
    t.notMatch(text, `href="${path}/sites/new"`)
    const full = await who.get(`${path}/sites/new`)
    t.match(full.text, 'allows 2 websites, and the account already has that many')
    t.notMatch(full.text, /<button[^>]*>Add website/)
    t.match(await who.submit(`${path}/sites/new`, { domain: 'third.example' }), {
      status: 422,
      text: /The package \w+ allows 2 websites, and the account already has that many/,
    })
    const customer = await signInAs(panel, username)
    const own = await customer.get('/account/sites/new')
    t.notMatch(own.text, /<button[^>]*>Add website/, 'nor is its customer offered one')
  })

  t.test(`a website of ${username} is removed once its name was typed`, async t => {
    const removal = `${path}/sites/${second}/remove`
    t.match((await who.get(path)).text, `href="${removal}"`)
    t.match(await who.submit(removal, { confirm: 'other' }), { status: 422 })
    t.match(await who.submit(removal, { confirm: second }), { status: 303 })
    t.strictSame(await domains(username), [`${username}.example`])
    t.equal((await who.get(removal)).status, 404)
  })
}

t.test('contents of others are neither seen nor changed', async t => {
  const customer = await signInAs(panel, 'rob')
  for (const part of ['sites/new', 'sites/alice.example/remove', 'databases/new']) {
    const path = `/accounts/alice/${part}`
    for (const other of [rita, tom]) {
      t.equal((await other.get(path)).status, 404, path)
      const fields = { domain: 'x.example', confirm: 'alice.example', suffix: 'shop' }
      t.equal((await other.submit(path, fields)).status, 404, path)
    }
    t.not((await customer.get(path)).status, 200, path)
  }
  t.strictSame(await domains('alice'), ['alice.example'])
})

t.test('without MariaDB no database is offered, and with it a password is shown once', async t => {
  const path = '/accounts/alice/databases/new'
  // The worker writes what it finds itself every few seconds.
  const seen = async (warning: string | null, address: string, words: string) => {
    let text = ''
    await until(async () => {
      await pool.query('update panel.server set service_warnings = $1', [
        warning === null ? {} : { databases: warning },
      ])
      text = (await admin.get(address)).text
      return text.includes(words)
    })
    return text
  }
  const missing = 'MariaDB is not installed'
  t.notMatch(await seen(missing, '/accounts/alice', `${missing}.`), `href="${path}"`)
  t.notMatch(await seen(missing, path, `${missing}.`), /<button[^>]*>Add database/)
  t.match(await seen(null, path, 'has room for 1 more database'), 'shop becomes alice_shop')
  await pool.query(`
    insert into panel.databases (account_id, name, desired)
    select id, 'alice_shop', 'present' from panel.accounts where username = 'alice'`)
  await seen(null, '/accounts/alice', '1 of 1, none left')
  await seen(null, path, 'allows 1 database, and the account already has that many')
  t.equal((await admin.get('/accounts/alice/databases/alice_none/remove')).status, 404)
  t.match(
    (await admin.get('/accounts/alice/databases/alice_shop/remove')).text,
    'is deleted permanently',
  )
  await pool.query(`delete from panel.databases where name = 'alice_shop'`)
})

t.test('administrators and resellers set whether sources are served', async t => {
  for (const [page, path, domain] of [
    [admin, '/accounts/alice', 'alice.example'],
    [rita, '/accounts/rob', 'rob.example'],
  ] as const) {
    const form = `${path}/sites/${domain}/sources`
    t.match((await page.get(path)).text, `href="${form}"`)
    t.match((await page.get(form)).text, 'including database passwords')
    await page.submit(form, { serves_sources: 'on' })
    t.match((await page.get(path)).text, 'Sources served')
    t.match((await page.get(form)).text, /name="serves_sources"[^>]* checked/)
    await page.submit(form, {})
    t.notMatch((await page.get(path)).text, 'Sources served')
    t.equal((await page.get(`${path}/sites/none.example/sources`)).status, 404)
  }
  t.equal((await rita.get('/accounts/alice/sites/alice.example/sources')).status, 404)
})

t.test('administrators and resellers redirect visitors to HTTPS', async t => {
  for (const [person, path] of [
    [admin, '/accounts/alice/sites/alice.example'],
    [rita, '/accounts/rob/sites/rob.example'],
  ] as const) {
    t.match((await person.get(path)).text, `href="${path}/https"`)
    await person.submit(`${path}/https`, { https_only: 'on' })
    t.match((await person.get(path)).text, 'redirected to https:// once there is a certificate')
    await person.submit(`${path}/https`, {})
    t.match((await person.get(path)).text, 'not redirected to https://')
  }
  t.equal((await rita.get('/accounts/alice/sites/alice.example/https')).status, 404)
})

t.test('a reseller removes nothing of an account that an administrator has suspended', async t => {
  await admin.submit('/accounts/rob/suspend', { reason: 'abuse' })
  t.notMatch((await rita.get('/accounts/rob')).text, '/sites/rob.example/remove')
  const form = (await rita.get('/accounts/rob/sites/rob.example/remove')).text
  t.match(form, 'Only an administrator can remove anything from it.')
  t.notMatch(form, /name="confirm"|<button[^>]*>Remove website/)
  const sent = await rita.submit('/accounts/rob/sites/rob.example/remove', {
    confirm: 'rob.example',
  })
  t.match(sent, { status: 422, text: /An administrator has suspended this account/ })
  t.match((await admin.get('/accounts/rob')).text, '/sites/rob.example/remove')
})
