import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { changeSharedParents, listSharedParents } from '../../src/model/sites/shared-parents.ts'
import { atOnce } from '../support/at-once.ts'
import { vendor } from '../support/cli/licenses.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { openGate } from '../support/gate.ts'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { scratch } from '../support/scratch.ts'
import { signInAs } from '../support/web/signed-in.ts'

// No account gets a name above or below a website of another account, by any request and from any
// seller; below a shared parent, accounts may have names next to each other.

const gate = openGate()
const { key, license } = vendor()
const file = join(scratch(t), 'license')
const panel = await openPanel(t, {
  license(serverId) {
    writeFileSync(file, license({ server_id: serverId }))
    return { file, key, isDevelopment: false }
  },
  observe: gate.observe,
})
const { pool } = panel
const environment = {
  DATABASE_URL: panel.databaseUrl,
  PANEL_STATE_DIR: dirname(panel.root),
  PANEL_LICENSE: file,
  PANEL_LICENSE_KEY: key,
}
const tokens = {
  house: panel.token,
  bigshop: (await makeReseller(pool, 'bigshop')).token,
  smallshop: (await makeReseller(pool, 'smallshop')).token,
}
type Seller = keyof typeof tokens
for (const token of Object.values(tokens)) {
  const body = { max_sites: 1_000 }
  await panel.call('PUT', '/api/v1/packages/starter', { token, body })
}
const password = 'correct horse battery'
const email = 'someone@example.com'

let created = 0
async function create(seller: Seller, domain?: string, username = `site${created++}`) {
  const body = { username, password, email, package: 'starter', domain }
  return panel.call('POST', '/api/v1/accounts', { token: tokens[seller], body })
}

for (const [username, seller] of Object.entries({
  ...({ alice: 'bigshop', bob: 'bigshop', carol: 'smallshop', dave: 'house' } as const),
})) {
  await create(seller, undefined, username)
}
// A session of its own each time: one makes 60 changes a minute.
async function onPage(username: string, domain: string): Promise<boolean> {
  const customer = await signInAs(panel, username)
  return (await customer.submit('/account/sites/new', { domain })).status === 303
}
const asRoot = async (username: string, domain: string) =>
  (await callPanel(['site', 'add', username, domain], environment)).code === 0
const createAsRoot = async (domain: string) => {
  const words = ['--email', email, '--package', 'starter', '--domain', domain, '--password-stdin']
  const command = ['account', 'create', `site${created++}`, ...words]
  return (await callPanel(command, environment, password)).code === 0
}

/** Each way to ask, by whom it is asked for. */
const ways: Record<string, (domain: string) => Promise<boolean>> = {
  'a create of the same reseller': async name => (await create('bigshop', name)).status === 201,
  'a create of another reseller': async name => (await create('smallshop', name)).status === 201,
  'a create of the server’s own': async name => (await create('house', name)).status === 201,
  'a page, same reseller': name => onPage('bob', name),
  'a page, another reseller': name => onPage('carol', name),
  'a page, the server’s own': name => onPage('dave', name),
}
const waysOfRoot: Record<string, (domain: string) => Promise<boolean>> = {
  'the command line, same reseller': name => asRoot('bob', name),
  'the command line, another reseller': name => asRoot('carol', name),
  'a create on the command line': createAsRoot,
}

type Case = {
  /** Alice's website. */
  taken: string
  /** The other account's request. */
  desired: string
  /** The account that gets it. */
  for: 'everybody' | 'root' | 'nobody'
  shared?: string
  /** Shared no longer when the other account asks. */
  isRemoved?: true
}
const free = 'free.X.com'
const cases: Case[] = [
  { taken: 'X.com', desired: 'X.com', for: 'nobody' },
  { taken: 'X.com', desired: 'www.X.com', for: 'nobody' },
  { taken: 'X.com', desired: 'WWW.WWW.X.com', for: 'nobody' },
  { taken: 'X.com', desired: 'login.X.com', for: 'nobody' },
  { taken: 'X.com', desired: 'a.b.c.X.com', for: 'nobody' },
  { taken: 'shop.X.com', desired: 'X.com', for: 'nobody' },
  { taken: 'shop.X.com', desired: 'www.X.com', for: 'nobody' },
  { taken: 'a.b.c.X.com', desired: 'X.com', for: 'nobody' },
  { taken: 'shop.X.com', desired: 'login.shop.X.com', for: 'nobody' },
  { taken: 'shop.X.com', desired: 'login.X.com', for: 'everybody' },
  { taken: 'shop.X.com', desired: 'workshop.X.com', for: 'everybody' },
  { taken: 'bücher-X.com', desired: 'LOGIN.BÜCHER-X.com', for: 'nobody' },
  { taken: 'login.bücher-X.com', desired: 'BÜCHER-X.com', for: 'nobody' },
  { taken: 'X.co.uk', desired: 'login.X.co.uk', for: 'nobody' },

  { shared: free, taken: 'a.free.X.com', desired: 'b.free.X.com', for: 'everybody' },
  { shared: free, taken: 'a.free.X.com', desired: 'c.b.free.X.com', for: 'everybody' },
  { shared: free, taken: 'a.free.X.com', desired: 'a.free.X.com', for: 'nobody' },
  { shared: free, taken: 'a.free.X.com', desired: 'login.a.free.X.com', for: 'nobody' },
  { shared: free, taken: 'a.free.X.com', desired: 'x.www.a.free.X.com', for: 'nobody' },
  { shared: free, taken: 'login.a.free.X.com', desired: 'a.free.X.com', for: 'nobody' },
  { shared: free, taken: 'a.free.X.com', desired: 'free.X.com', for: 'root' },
  { shared: free, taken: 'other-X.com', desired: 'free.X.com', for: 'root' },
  { shared: free, taken: 'a.free.X.com', desired: 'www.www.free.X.com', for: 'root' },
  { shared: free, taken: 'a.free.X.com', desired: 'X.com', for: 'root' },
  { shared: free, taken: 'a.b.X.com', desired: 'X.com', for: 'nobody' },
  { shared: free, taken: 'a.b.X.com', desired: 'b.X.com', for: 'nobody' },
  // Alice has the parent itself, or what lies above it.
  { shared: free, taken: 'free.X.com', desired: 'b.free.X.com', for: 'everybody' },
  { shared: free, taken: 'free.X.com', desired: 'x.www.free.X.com', for: 'nobody' },
  { shared: free, taken: 'free.X.com', desired: 'X.com', for: 'nobody' },
  { shared: free, taken: 'free.X.com', desired: 'free.X.com', for: 'nobody' },
  { shared: free, taken: 'X.com', desired: 'b.free.X.com', for: 'everybody' },
  { shared: free, taken: 'X.com', desired: 'b.X.com', for: 'nobody' },
  { shared: free, taken: 'X.com', desired: 'free.X.com', for: 'nobody' },
  {
    shared: 'Free.Bücher-X.com',
    taken: 'bücher-X.com',
    desired: 'b.FREE.bücher-X.com',
    for: 'everybody',
  },
  { shared: 'www.free.X.com', taken: 'free.X.com', desired: 'b.free.X.com', for: 'everybody' },
  // A name that only looks alike is not below it.
  { shared: free, taken: 'X.com', desired: 'b.carefree.X.com', for: 'nobody' },

  { shared: free, isRemoved: true, taken: 'free.X.com', desired: 'b.free.X.com', for: 'nobody' },
  {
    shared: free,
    isRemoved: true,
    taken: 'a.free.X.com',
    desired: 'b.free.X.com',
    for: 'everybody',
  },
  { shared: free, isRemoved: true, taken: 'a.free.X.com', desired: 'free.X.com', for: 'nobody' },
]

const share = async (verb: 'add' | 'rm', domain: string) => {
  const { code, stderr } = await callPanel(['shared-parent', verb, domain], environment)
  if (code !== 0) throw new Error(stderr)
}

let count = 0
async function asksFor(one: Case, way: string): Promise<boolean> {
  const label = `name${count++}`
  const at = (name: string) => name.replace('X', label)
  if (!(await asRoot('alice', at(one.taken)))) throw new Error(`Alice has no ${one.taken}`)
  if (one.shared !== undefined) await share('add', at(one.shared))
  if (one.shared !== undefined && one.isRemoved) await share('rm', at(one.shared))
  const isGiven = await { ...ways, ...waysOfRoot }[way]!(at(one.desired))
  if (one.shared !== undefined && !one.isRemoved) await share('rm', at(one.shared))
  return isGiven
}

const titleOf = ({ taken, desired, shared = 'nothing' }: Case, way: string) =>
  `${desired} next to ${taken}, ${shared} shared, by ${way}`

t.test('names next to Alice’s are decided by her account', async t => {
  for (const [index, one] of cases.entries()) {
    const way = Object.keys(ways)[index % Object.keys(ways).length]!
    t.equal(await asksFor(one, way), one.for === 'everybody', titleOf(one, way))
    const rootsWay = Object.keys(waysOfRoot)[index % Object.keys(waysOfRoot).length]!
    t.equal(await asksFor(one, rootsWay), one.for !== 'nobody', titleOf(one, rootsWay))
  }
})

t.test('a name gets the same answer through each channel', async t => {
  const some = [cases[3]!, cases.find(({ shared }) => shared === free)!]
  for (const one of some) {
    for (const way of Object.keys({ ...ways, ...waysOfRoot })) {
      t.equal(await asksFor(one, way), one.for === 'everybody', titleOf(one, way))
    }
  }
})

t.test('the websites of one account lie in each other, in any order', async t => {
  for (const domain of ['shop.own.com', 'own.com', 'a.b.shop.own.com', 'b.shop.own.com']) {
    t.ok(await onPage('alice', domain), domain)
  }
})

t.test('when two accounts ask at once, one gets the name and the other nothing', async t => {
  const races = Array.from({ length: 6 }, (_, n) => [`race${n}.com`, `sub.race${n}.com`] as const)
  const answers = await atOnce(pool, () =>
    races.flatMap(([above, below], n) =>
      n % 2 === 0
        ? [onPage('alice', above), onPage('bob', below)]
        : [onPage('alice', below), create('bigshop', above).then(({ status }) => status === 201)],
    ),
  )
  for (const n of races.keys()) {
    t.strictSame(answers.slice(2 * n, 2 * n + 2).sort(), [false, true], `race ${n}`)
  }
})

t.test('below a shared parent two accounts at once get no names in each other', async t => {
  await share('add', 'race.net')
  const answers = await atOnce(pool, () => [
    onPage('alice', 'a.race.net'),
    onPage('bob', 'x.a.race.net'),
    onPage('carol', 'b.race.net'),
  ])
  t.strictSame(answers.slice(0, 2).sort(), [false, true])
  t.equal(answers[2], true)
  await share('rm', 'race.net')
})

t.test('a name is free when its account is gone, and no sooner', async t => {
  await create('bigshop', 'going.com', 'going')
  gate.close()
  const terminated = panel.call('DELETE', '/api/v1/accounts/going')
  await gate.reached()
  const refused = await create('bigshop', 'shop.going.com')
  t.match(refused, { status: 400, body: { error: /^domain shop\.going\.com is a subdomain/ } })
  t.notMatch(refused.text, /alice|bigshop|site\d/)
  gate.open()
  t.match(await terminated, { status: 200 })
  t.equal((await create('bigshop', 'shop.going.com')).status, 201)
})

t.test('a refusal says which rule it is by', async t => {
  await share('add', 'rule.net')
  t.equal((await create('bigshop', 'a.rule.net')).status, 201)
  const sentences: [domain: string, sentence: RegExp][] = [
    ['a.rule.net', /^domain a\.rule\.net is taken$/],
    [
      'x.a.rule.net',
      /^domain x\.a\.rule\.net is a subdomain or a parent of a domain that is taken/,
    ],
    ['rule.net', /^domain rule\.net is a shared parent or .* only root .*: panel site add$/],
  ]
  for (const [domain, error] of sentences) {
    t.match(await create('bigshop', domain), { status: 400, body: { error } }, domain)
    const customer = await signInAs(panel, 'bob')
    const page = await customer.submit('/account/sites/new', { domain })
    t.match(page.text, new RegExp(error.source.replace(/^\^d|\$$/g, '')), domain)
  }
  t.ok(await asRoot('alice', 'rule.net'))
  const taken = { status: 400, body: { error: 'domain rule.net is taken' } }
  t.match(await create('bigshop', 'rule.net'), taken, 'a parent that is taken is taken')
  await share('rm', 'rule.net')
})

t.test('the list of shared parents', async t => {
  const parents = (...words: string[]) => callPanel(['shared-parent', ...words], environment)
  t.match(await parents('ls', '--json'), { code: 0, stdout: '{"shared_parents":[]}\n' })
  for (const _turn of [1, 2]) {
    t.match(await parents('add', 'WWW.Free.Bücher.example'), {
      ...{ code: 0, stderr: '', stdout: 'free.xn--bcher-kva.example\n' },
    })
  }
  t.match(await parents('add', 'co.uk'), { code: 0, stdout: /^co\.uk\n/ }, 'a public suffix')
  t.match((await parents('ls')).stdout, /^DOMAIN +CREATED\nco\.uk +\d{4}-.*\nfree\.xn--bcher/)
  const wrong = ['', 'com', 'a b.example', 'a.example.', '-a.example', 'a.1', 'x.local', 'xn--a.de']
  for (const domain of [...wrong, `${'a.'.repeat(130)}example`, 'a.example\n', '*.example']) {
    t.match(await parents('add', domain), { code: 2, stdout: '', stderr: /DOMAIN/ }, domain)
  }
  t.match(await parents('rm', 'unknown.example'), {
    ...{ code: 1, stdout: '', stderr: /Unknown shared parent: unknown\.example/ },
  })
  t.match(await parents('rm', 'co.uk', '--json'), {
    ...{ code: 0, stdout: '{"shared_parents":["free.xn--bcher-kva.example"]}\n' },
  })
  const many = Array.from({ length: 100 }, (_, number) => `n${number}.example`)
  await t.rejects(changeSharedParents(pool, { added: many }), { code: 'invalid' })
  await t.rejects(changeSharedParents(pool, { added: ['a.example; x'] }), { code: '22000' })
  t.equal((await listSharedParents(pool)).length, 1)
  const { rows } = await pool.query(
    `select who, about from panel.history where action = 'settings/share-parents'
     order by id desc limit 1`,
  )
  t.strictSame(rows, [{ who: 'root', about: 'free.xn--bcher-kva.example' }])
  t.match(await parents('rm', 'free.bücher.example'), { code: 0, stdout: '', stderr: '' })
  t.match(await parents('rm', 'free.bücher.example'), { code: 1, stderr: /Unknown shared/ })
})
