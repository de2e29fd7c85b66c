import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel, type Answer } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Two changes of a website that are decided at the same moment, and together break a rule that
// neither breaks alone: the first is applied, the second is refused like a later one.

const gate = openGate()
const { call, pool } = await openPanel(t, { observe: gate.observe })
const body = { max_sites: 3, max_aliases: 3, memory_mb: 256 }
await call('PUT', '/api/v1/packages/starter', { body })
await call('POST', '/api/v1/accounts', { body: alice })
const permission = 'Sites'
const { token } = await createToken(pool, { owner: 'admin', name: 'Sites', permission })
const path = '/api/v1/accounts/alice/sites/alice.example'
const read = async () => (await call('GET', path, { token })).body
const patch = (body: object) => call('PATCH', path, { token, body })

type Case = {
  what: string
  before?: object
  first: object
  second: object
  field: string
  /** Whether a later change of its kind is no mistake. */
  isOnlyAtOnce?: true
  error: RegExp
}

const some = <Value>(name: string, length: number, value: (index: number) => Value) =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`${name}${index}`, value(index)]))
const redirects = (name: string, length: number) => some(`/${name}`, length, () => ({ to: '/new' }))
const deep = (name: string) =>
  some(`/${name}`, 60, index => ({ to: `/t${name}${index}${'/b'.repeat(15)}` }))
const extensions = (name: string, length: number) => some(name, length, () => true)
const users = (name: string, length: number) => some(name, length, () => 'correct horse battery')
const to = 'https://new.example'
const www = 'www.alice.example'

const cases: Case[] = [
  {
    what: 'redirects by path',
    before: { redirects: redirects('a', 198) },
    ...{ first: { redirects: redirects('b', 2) }, second: { redirects: redirects('c', 1) } },
    ...{ field: 'redirects', error: /^A website can have at most 200 redirects$/ },
  },
  {
    what: 'folders of redirects by path',
    before: { redirects: deep('a') },
    ...{ first: { redirects: deep('b') }, second: { redirects: deep('c') } },
    ...{ field: 'redirects', error: /^redirects: must have at most 3000 names between slashes/ },
  },
  {
    what: 'a loop of redirects by path',
    first: { redirects: { '/a': { to: '/b' } } },
    second: { redirects: { '/b': { to: 'https://alice.example/a' } } },
    ...{ field: 'redirects', error: /^redirects: the redirect of \/. would lead back$/ },
  },
  {
    what: 'users of protected folders',
    before: { users: users('a', 48), protected_paths: ['/'] },
    ...{ first: { users: users('b', 2) }, second: { users: users('c', 1) } },
    ...{ field: 'users', error: /^A website can have at most 50 users$/ },
  },
  {
    what: 'a loop of redirects of names',
    before: { aliases: ['a.example'] },
    first: { name_redirects: { [www]: { to: 'https://a.example' } } },
    second: { name_redirects: { 'a.example': { to: `https://${www}` } } },
    ...{ field: 'name_redirects', error: /would lead back to it$/ },
  },
  {
    what: 'a loop of a redirect of a name and the setting of www',
    first: { name_redirects: { 'alice.example': { to: `https://${www}` } } },
    second: { www: 'redirect' },
    ...{ field: 'www', error: /would lead back to it$/ },
  },
  {
    what: 'a redirect of a name that is no longer served',
    ...{ first: { www: 'off' }, second: { name_redirects: { [www]: { to } } } },
    ...{ field: 'name_redirects', error: /^www\.alice\.example is not a name of the website$/ },
  },
  {
    what: 'a name that got a redirect and is no longer served',
    ...{ first: { name_redirects: { [www]: { to } } }, second: { www: 'off' } },
    ...{ field: 'www', error: /^www\.alice\.example has a redirect: remove the redirect first$/ },
  },
  {
    what: 'an alias that got a redirect and is removed',
    isOnlyAtOnce: true,
    before: { aliases: ['a.example'] },
    ...{ first: { name_redirects: { 'a.example': { to } } }, second: { aliases: null } },
    ...{ field: 'aliases', error: /^a\.example has a redirect: remove the redirect first$/ },
  },
  {
    what: 'sizes of requests to PHP',
    before: { php: { post_max_mb: 300 } },
    ...{ first: { php: { upload_max_mb: 250 } }, second: { php: { post_max_mb: 200 } } },
    ...{ field: 'php.post_max_mb', error: /^post_max_mb \(200\) must be at least upload_max_mb/ },
  },
  {
    what: 'extensions of PHP',
    before: { php: { extensions: extensions('a', 98) } },
    first: { php: { extensions: extensions('b', 2) } },
    second: { php: { extensions: extensions('c', 1) } },
    field: 'php.extensions',
    error: /^A website can choose at most 100 extensions$/,
  },
]

const nothing = {
  ...{ www: null, aliases: null, name_redirects: null, redirects: null },
  ...{ users: null, protected_paths: null, php: null, serves_sources: null },
}

for (const { what, before, first, second, field, error, isOnlyAtOnce } of cases) {
  t.test(what, async t => {
    if (before) t.match(await patch(before), { status: 200 })
    gate.close()
    const holder = patch({ serves_sources: true })
    await gate.reached()
    const answers: Promise<Answer>[] = []
    for (const change of [first, second]) {
      const answer = patch(change)
      answers.push(answer)
      await Promise.race([answer, until(async () => (await countBlocked()) === answers.length)])
    }
    gate.open()
    t.match(await holder, { status: 200 })
    const [applied, refused] = await Promise.all(answers)
    t.match(applied, { status: 200 })
    t.match(refused, { status: 400, body: { error } })
    t.equal(refused?.headers.get('x-panel-field'), field)
    t.strictSame(await read(), applied?.body)
    const later = await patch(second)
    if (isOnlyAtOnce) t.match(later, { status: 200 })
    else t.match(later, { status: 400, body: { error } }, 'a later one is refused alike')
    t.match(await patch(nothing), { status: 200 })
  })
}

async function countBlocked(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from panel.operations where state = 'blocked'`,
  )
  return rows[0]!.n
}

t.test('a website with more than it may have is shown until that is refused', async t => {
  await pool.query(
    `update panel.sites
     set settings = jsonb_build_object('redirects', $1::jsonb, 'users', $2::jsonb)`,
    [
      JSON.stringify(some('/a', 201, () => ({ to: '/new', code: 301 }))),
      JSON.stringify(some('user', 51, () => '*')),
    ],
  )
  const { redirects, users } = await read()
  t.equal(Object.keys(redirects).length, 201)
  t.equal(users.length, 51)
})
