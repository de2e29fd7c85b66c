import t from 'tap'
import type { Caller } from '../../src/model/signing-in/callers.ts'
import { refuseOwn } from '../../src/model/sites/refused-names.ts'
import { atOnce } from '../support/at-once.ts'
import { openPanel, type Answer } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'

// No account may have a domain with which it could take another one's visitors, mail or
// certificates.

const panel = await openPanel(t)
const { pool } = panel
const tokens = {
  house: panel.token,
  bigshop: (await makeReseller(pool, 'bigshop')).token,
  smallshop: (await makeReseller(pool, 'smallshop')).token,
}
type Seller = keyof typeof tokens
for (const token of Object.values(tokens)) {
  await panel.call('PUT', '/api/v1/packages/starter', { token })
}

let accounts = 0
const create = (seller: Seller, domain: string): Promise<Answer> =>
  panel.call('POST', '/api/v1/accounts', {
    token: tokens[seller],
    body: {
      username: `site${accounts++}`,
      password: 'correct horse battery',
      email: 'someone@example.com',
      package: 'starter',
      domain,
    },
  })

t.test('a repeated create is refused for its username first, and for its domain', async t => {
  const body = { username: 'again', password: 'correct horse battery', package: 'starter' }
  const send = () =>
    panel.call('POST', '/api/v1/accounts', {
      body: { ...body, email: 'someone@example.com', domain: 'again.com' },
    })
  t.equal((await send()).status, 201)
  const { status, body: refused } = await send()
  const errors = [
    { field: 'username', reason: 'username_taken', error: 'username again is taken' },
    { field: 'domain', reason: 'domain_taken', error: 'domain again.com is taken' },
  ]
  const error = 'username again is taken; domain again.com is taken'
  t.strictSame([status, refused], [400, { error, errors }])
})

t.test('the panel’s own name cannot be a website, with www. or without', async t => {
  for (const domain of ['panel.test', 'www.panel.test', 'WWW.Panel.Test']) {
    for (const seller of ['house', 'bigshop'] as const) {
      const { status, body } = await create(seller, domain)
      t.strictSame([status, body], [400, { error: `domain panel.test is the panel's own` }])
    }
  }
  t.equal((await create('house', 'my-panel.test')).status, 201)
})

t.test(
  'names below the panel’s own are for no account, names above it only root gives',
  async t => {
    for (const domain of ['x.panel.test', 'www.www.panel.test', 'A.B.Panel.Test']) {
      for (const seller of ['house', 'bigshop'] as const) {
        const error = /^domain \S+ is below the panel's own, panel\.test$/
        t.match(await create(seller, domain), { status: 400, body: { error } }, domain)
      }
    }
    const own = ['panel.test', 'a.panel.example', 'www.own.example', '192.0.2.7', 'localhost']
    const cases: [domain: string, byRoot: boolean, byOthers: boolean][] = [
      ['a.panel.example', false, false],
      ['x.a.panel.example', false, false],
      ['own.example', false, false],
      ['a.www.own.example', false, false],
      ['panel.example', true, false],
      ['b.panel.example', true, true],
      ['anel.example', true, true],
      ['other-a.panel.example', true, true],
      ['a.own.example', true, true],
    ]
    for (const [domain, ...expected] of cases) {
      const isGiven = (id: Caller['id']) => {
        try {
          refuseOwn({ id }, domain, own)
          return true
        } catch (error) {
          t.match(error, { code: 'domain_taken' })
          return false
        }
      }
      t.strictSame([isGiven('root'), isGiven('token:1')], expected, domain)
      t.equal(isGiven('session:1'), expected[1], domain)
    }
  },
)

const related: [taken: string, desired: string][] = [
  ['one.com', 'shop.one.com'],
  ['shop.two.com', 'two.com'],
  ['three.com', 'a.b.c.three.com'],
  ['a.b.c.four.com', 'four.com'],
  ['WWW.five.com', 'www.shop.Five.com'],
  ['six.co.uk', 'shop.six.co.uk'],
  ['seven.com', 'www.www.seven.com'],
]
const pairs: [first: Seller, second: Seller][] = [
  ['bigshop', 'bigshop'],
  ['bigshop', 'smallshop'],
  ['house', 'smallshop'],
  ['bigshop', 'house'],
]

t.test('a name above or below one of another account’s is refused', async t => {
  for (const [index, [taken, desired]] of related.entries()) {
    const [first, second] = pairs[index % pairs.length]!
    t.equal((await create(first, taken)).status, 201, taken)
    const refused = await create(second, desired)
    const served = desired.toLowerCase().replace(/^www\./, '')
    t.equal(refused.status, 400, `${taken}, ${desired}`)
    t.match(refused.body.error, new RegExp(`^domain ${served} is`))
    t.notMatch(refused.body.error, new RegExp(`(?<!\\.)${taken}|bigshop|site\\d`, 'i'))
    const count = `select from panel.sites where domain = $1`
    t.equal((await pool.query(count, [served])).rowCount, 0)
  }
})

t.test('a domain that only looks alike is accepted', async t => {
  t.equal((await create('bigshop', 'shop.nine.com')).status, 201)
  const alike = ['art.nine.com', 'workshop.nine.com', 'shop-nine.com', 'my-shop.nine.com']
  alike.push('shop.nine.com.de', 'shop.nine.community', 'shop.nine.co', 'p.nine.com', 'ine.com')
  for (const domain of alike) t.equal((await create('smallshop', domain)).status, 201, domain)
  t.equal((await create('smallshop', 'my-twelve.com')).status, 201)
  t.equal((await create('bigshop', 'twelve.com')).status, 201, 'a hyphen is no dot')
})

t.test('a refused name is free once the other account is gone', async t => {
  const { body } = await create('bigshop', 'shop.ten.com')
  t.equal((await create('smallshop', 'ten.com')).status, 400)
  await panel.call('DELETE', `/api/v1/accounts/${body.username}`)
  t.equal((await create('smallshop', 'ten.com')).status, 201)
})

t.test('when two accounts ask at once, one gets the name and the other nothing', async t => {
  const races = Array.from({ length: 6 }, (_, n) => [`race${n}.com`, `sub.race${n}.com`] as const)
  const answers = await atOnce(pool, () =>
    races.flatMap(([above, below]) => [create('bigshop', above), create('smallshop', below)]),
  )
  const outcomes = races.map((_, n) => answers.slice(2 * n, 2 * n + 2).map(({ status }) => status))
  for (const statuses of outcomes) t.strictSame(statuses.sort(), [201, 400])
})

t.test('when many ask at once, one gets the name, with www. or without', async t => {
  const sellers: Seller[] = ['bigshop', 'smallshop', 'house', 'bigshop']
  const answers = await atOnce(pool, () =>
    sellers.flatMap(seller => [create(seller, 'eleven.com'), create(seller, 'www.eleven.com')]),
  )
  const refused = answers.filter(({ status }) => status === 400)
  t.equal(refused.length, 7)
  for (const { body } of refused) t.strictSame(body, { error: 'domain eleven.com is taken' })
  t.equal(answers.filter(({ status }) => status === 201).length, 1)
})
