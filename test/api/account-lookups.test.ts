import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'

// Accounts are found by a website's name and by the address of their owner, within the caller's
// sight; each says whose it is and who has suspended it.

const panel = await openPanel(t)
const { call, pool } = panel
const shop = await makeReseller(pool, 'shop')
const other = await makeReseller(pool, 'other')
for (const token of [panel.token, shop.token]) {
  await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 }, token })
}
const create = (username: string, domain: string | null, email: string, token = panel.token) =>
  call('POST', '/api/v1/accounts', { body: { ...alice, username, domain, email }, token })
await create('alice', 'alice.example', 'Alice@Example.com')
await create('bob', null, 'alice@example.com')
await create('carol', 'xn--mller-kva.example', 'carol@example.com', shop.token)

async function find(query: string, token = panel.token): Promise<unknown> {
  const { status, body } = await call('GET', `/api/v1/accounts?${query}`, { token })
  return status === 200
    ? body.accounts.map((one: { username: string }) => one.username)
    : [status, body.error]
}

t.test('by the name of a website, in any form in which it is served', async t => {
  for (const name of ['alice.example', 'www.alice.example', 'ALICE.example']) {
    t.strictSame(await find(`domain=${name}`), ['alice'], name)
  }
  for (const name of ['müller.example', 'www.Müller.example', 'xn--mller-kva.example']) {
    t.strictSame(await find(`domain=${encodeURIComponent(name)}`), ['carol'], name)
  }
  for (const name of ['example', 'shop.alice.example', 'lice.example', 'www.www.alice.example']) {
    const found = await find(`domain=${name}`)
    t.ok(name === 'example' ? String(found).startsWith('400') : String(found) === '', name)
  }
  t.strictSame(await find('domain=co.uk'), [], 'a public suffix is on no account')
})

t.test('also by that of a later website, once it is there, until it is gone', async t => {
  await pool.query(`
    with site as (
      insert into panel.sites (account_id, domain)
      select id, 'second.example' from panel.accounts where username = 'alice' returning id)
    insert into panel.site_names (name, site_id) select 'second.example', id from site`)
  t.strictSame(await find('domain=second.example'), ['alice'])
  await pool.query(`delete from panel.sites where domain = 'second.example'`)
  t.strictSame(await find('domain=second.example'), [])
})

t.test('by the address of its owner, in any case and exactly', async t => {
  for (const email of ['alice@example.com', 'ALICE@EXAMPLE.COM']) {
    t.strictSame(await find(`email=${email}`), ['alice', 'bob'], email)
  }
  t.strictSame(await find('email=alice@example.com&state=suspended'), [])
  t.strictSame(await find('email=alice@example.com&limit=1'), ['alice'])
  t.strictSame(await find('email=alice@example.com&after=alice'), ['bob'])
  t.strictSame(await find('email=alice@example.com&domain=alice.example'), ['alice'])
  for (const none of ['alice', '%25', '_lice@example.com', 'alice@example.com%20']) {
    t.strictSame(await find(`email=${none}`), [], none)
  }
})

t.test('an invalid parameter is 400, and never returns all accounts', async t => {
  const wrong: [query: string, error: RegExp][] = [
    ['domain=', /^domain is not a domain name/],
    ['domain=alice', /^domain must have at least two labels/],
    ['domain=https://alice.example', /^domain /],
    ['domain=alice.example%00', /^domain /],
    ['domain=alice.example.', /^domain must not end with a dot/],
    [`domain=${'x'.repeat(300)}.example`, /^domain must have at most 253/],
    ['email=', /^email must not be empty/],
    ['email=a%0Ab', /^email must not contain control or invisible characters/],
    [`email=${'x'.repeat(255)}`, /^email must have at most 254/],
    ['reference=', /^reference must not be empty/],
    ['seller=shop', /^Unknown query parameter: seller/],
    ['email=a@b.example&email=c@d.example', /^Sent more than once: email/],
  ]
  for (const [query, error] of wrong) t.match(await find(query), [400, error], query)
})

t.test('a look-up finds only what the caller sees', async t => {
  t.strictSame(await find('domain=xn--mller-kva.example', shop.token), ['carol'])
  t.strictSame(await find('email=CAROL@example.com', shop.token), ['carol'])
  for (const query of ['domain=alice.example', 'email=alice@example.com']) {
    t.strictSame(await find(query, shop.token), [], query)
  }
  t.strictSame(await find('email=carol@example.com', other.token), [])
})

t.test('an account says whose it is and who has suspended it', async t => {
  const got = async (username: string, token = panel.token) => {
    const { seller, suspended_by } = (await call('GET', `/api/v1/accounts/${username}`, { token }))
      .body
    return [seller, suspended_by]
  }
  t.strictSame(await got('alice'), [null, null])
  t.strictSame(await got('carol'), ['shop', null])
  const suspend = (token?: string) =>
    call('POST', '/api/v1/accounts/carol/suspend', { token: token ?? panel.token })
  t.match(await suspend(shop.token), { body: { seller: 'shop', suspended_by: 'reseller' } })
  t.match(await suspend(), { body: { seller: 'shop', suspended_by: 'administrator' } })
  t.strictSame(await got('carol', shop.token), ['shop', 'administrator'])
  const unsuspended = await call('POST', '/api/v1/accounts/carol/unsuspend')
  t.match(unsuspended, { body: { seller: 'shop', suspended_by: null } })
  const gone = await call('DELETE', '/api/v1/accounts/carol')
  t.match(gone, { body: { state: 'terminated', seller: 'shop', suspended_by: null } })
})
