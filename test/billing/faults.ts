import type { Test } from 'tap'
import type { Panel } from '../support/panel.ts'
import { refusal, type Fault, type Faulty } from './faulty.ts'
import { accountOf, accountsFor, awkward, isClean, newOrder, type Order } from './scenarios.ts'
import type { Php } from './php.ts'

// Faults between a billing system and the panel, for every operation: nothing may be made twice,
// nothing may be reported as done that is not, and a repeat completes it.

export type Case = {
  name: string
  faults: Fault[]
  ends: 'success' | 'refusal' | 'either'
  says?: RegExp
  /** The number of requests for which the case applies to an operation; without it, any. */
  writes?: number
}

const html = '<!doctype html><title>It works!</title>'
const trap = { location: 'https://elsewhere.example/api/v1/accounts' }

export const cases: Case[] = [
  { name: 'the answer is lost', faults: ['lost'], ends: 'success', writes: 2 },
  { name: 'the connection is reset', faults: ['reset'], ends: 'success', writes: 2 },
  { name: 'the answer breaks off', faults: ['cut'], ends: 'success', writes: 2 },
  {
    name: 'the answer is lost, and the next request',
    faults: ['lost', 'reset'],
    ends: 'success',
    writes: 3,
  },
  {
    name: 'the panel is starting',
    faults: [{ instead: refusal(503, 'Starting', { 'retry-after': '1' }) }],
    ends: 'success',
    writes: 2,
  },
  {
    name: 'a server before the panel has lost it',
    faults: [{ instead: { status: 502, headers: { 'content-type': 'text/html' }, body: html } }],
    ends: 'success',
    writes: 2,
  },
  {
    name: 'the wait is over, then it is still running, then it is done',
    faults: [
      { afterwards: refusal(504, 'The work goes on', { 'retry-after': '0' }) },
      { instead: refusal(409, 'Still running', { 'retry-after': '1' }) },
    ],
    ends: 'success',
    writes: 3,
  },
  { name: 'the answer is slow', faults: [{ delayMs: 300 }], ends: 'success', writes: 1 },
  {
    name: 'there are too many requests',
    faults: [{ instead: refusal(429, 'Too many requests', { 'retry-after': '60' }) }],
    ends: 'refusal',
    says: /^.{0,60}Too many requests/,
    writes: 1,
  },
  {
    name: 'there are too many requests for a second',
    faults: [{ instead: refusal(429, 'Too many requests', { 'retry-after': '1' }) }],
    ends: 'success',
    writes: 2,
  },
  {
    name: 'there is a place in the rate limit in a second',
    faults: [
      {
        instead: refusal(429, 'Too many', { 'retry-after': '60', 'ratelimit-reset': '1' }),
      },
    ],
    ends: 'success',
    writes: 2,
  },
  {
    name: 'the license is used up',
    faults: [{ instead: refusal(402, 'The license permits 10 accounts') }],
    ends: 'refusal',
    says: /The license permits 10 accounts/,
    writes: 1,
  },
  {
    name: 'the token may not',
    faults: [{ instead: refusal(403, 'Not from this <b>address</b>') }],
    ends: 'refusal',
    says: /Not from this .b.address/,
    writes: 1,
  },
  {
    name: 'what answers is not JSON',
    faults: [{ instead: { status: 200, body: html } }],
    ends: 'refusal',
    says: /not a panel/,
  },
  {
    name: 'what answers not found is not the panel',
    faults: [{ instead: { status: 404, body: html } }],
    ends: 'refusal',
    says: /not a panel/,
  },
  {
    name: 'it is done, and the answer is not JSON',
    faults: [{ afterwards: { status: 200, body: html } }],
    ends: 'either',
  },
  {
    name: 'the answer leads elsewhere',
    faults: [{ instead: { status: 307, headers: trap, body: '' } }],
    ends: 'refusal',
    says: /redirect/,
    writes: 1,
  },
]

/** Cases that every repeat meets too, which takes long. */
export const slowCases: Case[] = [
  {
    name: 'the panel does not come back',
    faults: Array<Fault>(8).fill('reset'),
    ends: 'refusal',
    says: /does not answer/,
  },
  { name: 'no answer ever arrives', faults: Array<Fault>(8).fill('lost'), ends: 'either' },
]

/** For `npm test`, one case of each kind; `npm run test:long` has all of them. */
export const fewCases = cases.filter(({ name }) =>
  [
    'the answer is lost',
    'the answer breaks off',
    'the wait is over, then it is still running, then it is done',
    'it is done, and the answer is not JSON',
    'the answer leads elsewhere',
  ].includes(name),
)

export type Operation = {
  name: string
  values: (order: Order) => object
  /** Operations that must come before it, besides the account's creation. */
  after?: [operation: string, values: object][]
  /** Whether the panel has done it; the mark is what it showed before. */
  isDone: (panel: Panel, username: string, mark: string) => Promise<boolean>
}

const hasState = (state: string) => async (panel: Panel, username: string) =>
  (await accountOf(panel, username))?.state === state

export const operations: Operation[] = [
  {
    name: 'create',
    values: order => order,
    isDone: hasState('active'),
  },
  { name: 'suspend', values: () => ({ reason: 'Overdue' }), isDone: hasState('suspended') },
  {
    name: 'unsuspend',
    values: () => ({}),
    after: [['suspend', { reason: 'Overdue' }]],
    isDone: hasState('active'),
  },
  {
    name: 'changePackage',
    values: () => ({ package: 'bigger' }),
    isDone: async (panel, username) => (await accountOf(panel, username))?.package === 'bigger',
  },
  {
    name: 'setPassword',
    values: () => ({ password: `another ${awkward}` }),
    isDone: async (panel, username, mark) => (await markOf(panel, username)).password !== mark,
  },
  {
    name: 'signOn',
    values: () => ({}),
    isDone: async (panel, username) => (await markOf(panel, username)).links > 0,
  },
  {
    name: 'terminate',
    values: () => ({}),
    isDone: async (panel, username) => (await accountOf(panel, username)) === undefined,
  },
]

/** For `npm test`: one operation that makes something, one that changes it, one that removes it. */
export const fewOperations = operations.filter(({ name }) =>
  ['create', 'suspend', 'terminate'].includes(name),
)

/** Runs one operation under one case, and repeats it without the fault. */
export async function withstands(
  t: Test,
  { panel, php, faulty }: { panel: Panel; php: Php; faulty: Faulty },
  { name, values, after = [], isDone }: Operation,
  { name: what, faults, ends, says, writes }: Case,
): Promise<void> {
  const order = newOrder()
  const { service } = order
  const given = { service, ...values(order) }
  faulty.next()
  const made = name === 'create' ? [] : [['create', order] as const, ...after]
  for (const [operation, more] of made) {
    const { value, thrown } = await php.run(operation, { service, ...more })
    t.ok(value?.ok, `${operation} before it`, { value, thrown })
  }
  const nameOf = async () => (await accountsFor(panel, order))[0] ?? ''
  const before = await nameOf()
  const mark = before === '' ? '' : (await markOf(panel, before)).password

  const from = faulty.heard.length
  faulty.next(...faults)
  const outcome = await php.run(name, given)
  faulty.next()
  const answer = { outcome: outcome.value, thrown: outcome.thrown }
  const secrets = [panel.token, order.password, ...Object.values(outcome.value ?? {})].filter(
    secret => secret !== outcome.value?.message && secret !== outcome.value?.username,
  )
  isClean(t, outcome, [...secrets.map(String), `another ${awkward}`].filter(isLong))
  const { ok, message } = outcome.value
  const done = await isDone(panel, before === '' ? await nameOf() : before, mark)
  if (ok) t.ok(done, `${name}, ${what}: a reported success is done`, answer)
  if (ends !== 'either') t.equal(ok, ends === 'success', `${name}, ${what}: ${ends}`, answer)
  if (!ok) t.match(message, says ?? /./, `${name}, ${what}: the administrator hears why`)
  t.notMatch(message, /[<>]/, 'as text')
  const sent = faulty.heard.slice(from).filter(({ method }) => method !== 'GET')
  if (writes !== undefined) {
    t.equal(sent.length, writes, `${name}, ${what}: requests`, { sent })
    t.equal(new Set(sent.map(({ key }) => key)).size, 1, 'all of them under one key')
  }

  const again = await php.run(name, given)
  t.ok(again.value?.ok, `${name}, ${what}: a repeat succeeds`, again)
  const accounts = await accountsFor(panel, order)
  t.equal(accounts.length, name === 'terminate' ? 0 : 1, `${name}, ${what}: accounts`)
  t.ok(await isDone(panel, accounts[0] ?? before, mark), `${name}, ${what}: done in the end`)
}

const isLong = (secret: string) => secret.length > 8

async function markOf(
  { pool }: Panel,
  username: string,
): Promise<{ password: string; links: number }> {
  const { rows } = await pool.query<{ password: string; links: number }>(
    `select password_hash as password,
       (select count(*)::int from panel.sign_ons where account_id = a.id) as links
     from panel.accounts a where username = $1 and state <> 'terminated'`,
    [username],
  )
  return rows[0] ?? { password: '', links: 0 }
}
