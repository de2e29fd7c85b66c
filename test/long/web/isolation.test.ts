import t from 'tap'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { addWebhook, newSecret, secretsKey } from '../../../src/model/events/webhooks.ts'
import { fill } from '../../../src/web/addresses.ts'
import type { Role } from '../../../src/web/page.ts'
import { pages } from '../../../src/web/pages.ts'
import { alice, openPanel, surroundings } from '../../support/panel.ts'
import { makeReseller } from '../../support/reseller.ts'
import { signIn, signInAs, type SignedIn } from '../../support/web/signed-in.ts'

// Every page of the table, requested by every role, with things of others in its address and its
// fields. A page that is added is requested too: there is nothing to add here.

const panel = await openPanel(t)
const { call, pool } = panel

// Things of others, each with a word in it that no other user may read. Names are in addresses, and
// may come back in «there is no such …»; hidden words are never sent.
const hushed = [
  'theirs-account_hush',
  'hush-mail',
  'hush-reason',
  'hush-token',
  'hush-webhook',
  'hush-browser',
]
const named = [
  ...['theirs-account', 'theirs-package', 'theirs-site.example', 'theirs-shop'],
  'theirs-account_db',
]

// The names that queries of lists may contain.
const asked = {
  ...{ q: 'theirs-site', account: 'theirs-account', username: 'theirs-account' },
  ...{ seller: 'theirs-shop', who: 'theirs-shop', package: 'theirs-package' },
}

const wordsIn = (text: string, words: string[]): string[] =>
  words.filter(word => text.includes(word))

await stage()
const before = await theirs()
const ids = await foreignIds()

/** Opens a session: each request has one of its own, because some end it. */
const people: Record<'reseller' | 'customer', () => Promise<SignedIn>> = {
  reseller: () => signIn(panel, 'own-shop'),
  customer: () => signInAs(panel, 'own-account'),
}
const roles = Object.keys(people) as (keyof typeof people)[]

const isRefused = (status: number) => [403, 404, 405].includes(status)
// To end a session that is over, or unknown, is no failure: a form may be sent twice.
const endsNothing = (path: string, location = '') =>
  path.endsWith('/sessions/:id/end') && path.startsWith(`${location}/`)
// An impersonating user has no session there.
const leadsToSignIn = (location = '') => location.startsWith('/sign-in?')

for (const role of roles) {
  const isFor = (to: readonly Role[]) => to.includes(role)
  await t.test(`a ${role} opens nothing that is for others`, async t => {
    const person = await people[role]()
    for (const { path, roles: to } of pages.filter(page => !isFor(page.roles))) {
      const { status, headers, text } = await person.get(fillWith(path, [...ids, ...named][0]!))
      t.ok(isRefused(status) || leadsToSignIn(headers.location), `${path}: ${status}, of ${to}`)
      t.strictSame(wordsIn(text, hushed), [], path)
    }
  })

  await t.test(`a ${role} reads nothing of others`, async t => {
    const person = await people[role]()
    for (const { path } of pages.filter(page => isFor(page.roles))) {
      if (path.includes(':')) {
        for (const id of [...ids, ...named]) {
          const page = await person.get(fillWith(path, id))
          t.ok(isRefused(page.status), `${path} of ${id}: ${page.status}`)
          t.strictSame(
            wordsIn(page.text, [...hushed, ...named.filter(one => !id.includes(one))]),
            [],
          )
        }
        continue
      }
      const { text } = await person.get(path)
      t.strictSame(wordsIn(text, [...hushed, ...named]), [], path)
      for (const [word, output] of Object.entries(asked)) {
        const page = await person.get(`${path}?${new URLSearchParams({ [word]: output })}`)
        t.strictSame(wordsIn(page.text, hushed), [], `${path}?${word}=${output}`)
        t.notOk(page.headers.location?.startsWith('/accounts/theirs'), 'nor is led there')
      }
    }
  })

  await t.test(`a ${role} changes nothing of others`, async t => {
    for (const page of pages.filter(({ post }) => post !== undefined)) {
      const isNaming = page.path.includes(':')
      for (const id of isNaming && isFor(page.roles) ? [...ids, ...named] : ['theirs-account']) {
        const person = await people[role]()
        const path = fillWith(page.path, id)
        const { status, headers, text } = await person.submit(path, fieldsFor(id))
        if (isNaming || !isFor(page.roles)) {
          const to = headers.location
          const isOut = isRefused(status) || leadsToSignIn(to) || endsNothing(page.path, to)
          t.ok(isOut, `${page.path} of ${id}: ${status} ${headers.location}`)
        }
        t.strictSame(wordsIn(text, hushed), [], page.path)
      }
      t.strictSame(await theirs(), before, `after ${page.path}`)
    }
  })
}

t.test('without a session there is nothing but the way to sign in', async t => {
  for (const { path } of pages) {
    const page = await fetch(`${panel.baseUrl}${fillWith(path, 'theirs-account')}`, {
      redirect: 'manual',
    })
    t.equal(page.status, 303, path)
    t.ok(leadsToSignIn(page.headers.get('location') ?? ''), path)
    t.strictSame(wordsIn(await page.text(), [...hushed, ...named]), [])
  }
})

/** The path with one thing in place of all its names. */
function fillWith(path: string, id: string): string {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  return fill(path, Object.fromEntries(names.map(name => [name, id])))
}

// A value for every field of every form, so that as many as can be are executed.
function fieldsFor(id: string): Record<string, string> {
  return {
    ...{ confirm: id, id, username: 'theirs-account', account: 'theirs-account', reason: 'mine' },
    ...{ package: 'theirs-package', domain: 'theirs-site.example', email: 'mine@example.com' },
    ...{ password: 'mine is a password', current: 'a password of it', name: 'mine' },
    rights: 'none',
    ...{ max_sites: '1', disk_mb: '1', memory_mb: '64', cpu_percent: '1', code: '000000' },
  }
}

async function stage(): Promise<void> {
  const seller = await makeReseller(pool, 'theirs-shop')
  const own = await makeReseller(pool, 'own-shop')
  await createToken(pool, { owner: 'theirs-shop', name: 'hush-token' })
  const put = (token: string, name: string) =>
    call('PUT', `/api/v1/packages/${name}`, { token, body: { max_sites: 9 } })
  await put(seller.token, 'theirs-package')
  await put(own.token, 'own-package')
  const create = (token: string, account: Partial<typeof alice>) =>
    call('POST', '/api/v1/accounts', { token, body: { ...alice, ...account } })
  await create(seller.token, {
    ...{ username: 'theirs-account', email: 'hush-mail@example.com' },
    ...{ package: 'theirs-package', domain: 'theirs-site.example' },
  })
  await create(own.token, {
    ...{ username: 'own-account', email: 'own@example.com' },
    ...{ package: 'own-package', domain: 'own.example' },
  })
  await signInAs(panel, 'theirs-account')
  await signIn(panel, 'theirs-shop')
  await pool.query(`update panel.sessions set browser = 'hush-browser'`)
  await addWebhook(
    pool,
    { url: 'https://hush-webhook.example/', events: [], secret: newSecret() },
    secretsKey(surroundings.serverKey()),
  )
  const { token } = seller
  await call('POST', '/api/v1/accounts/theirs-account/suspend', {
    ...{ token, body: { reason: 'hush-reason' } },
  })
  await addDatabase()
}

async function addDatabase(): Promise<void> {
  await pool.query(`
    with account as (select id from panel.accounts where username = 'theirs-account'),
    added as (
      insert into panel.databases (account_id, name, desired)
      select id, 'theirs-account_db', 'present' from account returning id),
    users as (
      insert into panel.database_users (account_id, name, hash, is_set, desired)
      select id, name, '*' || repeat('0', 40), true, 'present'
      from account, unnest(array['theirs-account_db', 'theirs-account_hush']) name returning id)
    insert into panel.database_grants (user_id, database_id, rights)
    select u.id, d.id, 'all' from added d, users u`)
}

/** Numbers of all kinds that are others'. */
async function foreignIds(): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`
    (select id::text from panel.operations where username = 'theirs-account' limit 1)
    union all (select t.id::text from panel.tokens t join panel.operators o on o.id = t.operator_id
      where o.name = 'theirs-shop' limit 1)
    union all (select s.id::text from panel.sessions s limit 2)
    union all (select w.id::text from panel.webhooks w limit 1)
    union all (select a.id::text from panel.accounts a where username = 'theirs-account')`)
  return [...new Set(rows.map(({ id }) => id))]
}

/** All that is theirs, as it is now. */
async function theirs(): Promise<unknown> {
  const { rows } = await pool.query(`
    select jsonb_build_array(
      (select to_jsonb(s) from panel.sellers s where s.id = o.seller_id),
      to_jsonb(o),
      (select jsonb_agg(to_jsonb(p) order by p.id) from panel.packages p
        where p.seller_id = o.seller_id),
      (select jsonb_agg(to_jsonb(a) order by a.id) from panel.accounts a
        where a.seller_id = o.seller_id),
      (select jsonb_agg(to_jsonb(s) order by s.id) from panel.sites s
        join panel.accounts a on a.id = s.account_id where a.seller_id = o.seller_id),
      (select jsonb_agg(to_jsonb(u) || to_jsonb(g) || to_jsonb(d) order by u.id)
        from panel.databases d join panel.database_grants g on g.database_id = d.id
        join panel.database_users u on u.id = g.user_id
        join panel.accounts a on a.id = d.account_id where a.seller_id = o.seller_id),
      (select jsonb_agg(to_jsonb(t) order by t.id) from panel.tokens t where t.operator_id = o.id),
      (select jsonb_agg(to_jsonb(s) order by s.id) from panel.sessions s
        where s.operator_id = o.id),
      (select jsonb_agg(to_jsonb(w) order by w.id) from panel.webhooks w)) as all
    from panel.operators o where o.name = 'theirs-shop'`)
  return rows
}
