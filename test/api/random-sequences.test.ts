import fc from 'fast-check'
import t from 'tap'
import { createToken } from '../../src/model/tokens.ts'
import { openPanel, type Answer, type Panel } from '../panel.ts'
import { startProcess, type Child } from '../processes.ts'

// Random sequences of operations, repeats, kills of the worker and moves of the clock, compared
// with a small model of the specification: what each request must answer and change.

type Request = { method: string; path: string; body?: Record<string, unknown> }
type Account = { state: 'active' | 'suspended'; package: string }
type Model = {
  accounts: Map<string, Account>
  /** The requests that have a recorded answer, by key. */
  recorded: Map<string, { request: string; answer: Answer }>
}

const usernames = ['aa', 'bb', 'cc']
const name = fc.constantFrom(...usernames)
const key = fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8')
const packageName = fc.constantFrom('small', 'large', 'unknown')

const request: fc.Arbitrary<Request> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(name, packageName).map(([user, sold]) => create(user, sold)) },
  { weight: 3, arbitrary: name.map(user => at('POST', user, 'suspend')) },
  { weight: 3, arbitrary: name.map(user => at('POST', user, 'unsuspend')) },
  { weight: 2, arbitrary: name.map(user => ({ method: 'DELETE', path: `/accounts/${user}` })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(name, packageName)
      .map(([user, sold]) => ({ ...at('PUT', user, 'package'), body: { package: sold } })),
  },
  { weight: 1, arbitrary: name.map(user => at('POST', user, 'login')) },
)

const event = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ request, key, kill: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 3, 8) }),
  },
  { weight: 1, arbitrary: fc.constant('a day passes' as const) },
)

type Step = typeof event extends fc.Arbitrary<infer Value> ? Value : never

const panel = await openPanel(t, { hasWorker: false })
await panel.call('PUT', '/api/v1/packages/small', { body: {} })
await panel.call('PUT', '/api/v1/packages/large', { body: { disk_mb: 5_000 } })
let worker = await startWorker()

t.test('every answer is the one that the specification foretells', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 8, maxLength: 25 }), sequence => run(sequence)),
    { numRuns: Number(process.env['RANDOM_RUNS'] ?? 5), endOnFailure: true, seed: 7 },
  )
  t.pass()
})

async function run(sequence: Step[]): Promise<void> {
  const { token } = await createToken(panel.pool, { owner: 'admin', name: 'random' })
  const model: Model = { accounts: new Map(), recorded: new Map() }
  for (const user of usernames) {
    await panel.call('DELETE', `/api/v1/accounts/${user}`)
  }
  for (const step of sequence) {
    if (step === 'a day passes') {
      await panel.pool.query(
        `update panel.operations set created_at = created_at - interval '24 hours'`,
      )
      model.recorded.clear()
      continue
    }
    const killed = step.kill === 0 ? undefined : killSoon(step.kill)
    const answer = await send(panel, token, step.request, step.key)
    await killed
    compare(model, step.request, step.key, answer)
  }
  await compareAccounts(model)
}

function compare(model: Model, sent: Request, sentKey: string, answer: Answer): void {
  const text = JSON.stringify(sent)
  const known = model.recorded.get(sentKey)
  const isReplay = answer.headers.get('idempotent-replayed') === 'true'
  if (known !== undefined && known.request !== text) return expect(answer, 400, isReplay, false)
  if (known !== undefined) {
    if (answer.text !== known.answer.text) throw new Error(`${text}: another answer`)
    return expect(answer, known.answer.status, isReplay, true)
  }
  expect(answer, apply(model.accounts, sent), isReplay, false)
  model.recorded.set(sentKey, { request: text, answer })
}

/** What the specification says of a request that is new: its status, and what it changes. */
function apply(accounts: Map<string, Account>, { method, path, body }: Request): number {
  const [, , user = '', verb] = path.split('/')
  if (path === '/accounts') return applyCreate(accounts, body)
  const account = accounts.get(user)
  if (account === undefined) return 404
  if (method === 'DELETE') return accounts.delete(user) ? 200 : 404
  if (verb === 'login') return account.state === 'active' ? 200 : 400
  if (verb === 'package') {
    if (body?.['package'] === 'unknown') return 400
    account.package = String(body?.['package'])
  } else {
    account.state = verb === 'suspend' ? 'suspended' : 'active'
  }
  return 200
}

function applyCreate(accounts: Map<string, Account>, body: Request['body']): number {
  const user = String(body?.['username'])
  if (body?.['package'] === 'unknown' || accounts.has(user)) return 400
  accounts.set(user, { state: 'active', package: String(body?.['package']) })
  return 201
}

function expect(answer: Answer, status: number, isReplay: boolean, replay: boolean): void {
  if (answer.status === status && isReplay === replay) return
  throw new Error(
    `${answer.status}, replayed ${isReplay}; expected ${status}, ${replay}: ${answer.text}`,
  )
}

async function compareAccounts(model: Model): Promise<void> {
  const { body } = await panel.call('GET', '/api/v1/accounts')
  const found = body.accounts.map((account: Record<string, unknown>) => [
    account['username'],
    { state: account['state'], package: account['package'] },
  ])
  const expected = [...model.accounts].sort(([a], [b]) => (a < b ? -1 : 1))
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(found)}; expected ${JSON.stringify(expected)}`)
  }
}

function create(user: string, sold: string): Request {
  const body = {
    username: user,
    password: 'a long password',
    email: `${user}@example.com`,
    package: sold,
    domain: `${user}.example`,
  }
  return { method: 'POST', path: '/accounts', body }
}

function at(method: string, user: string, verb: string): Request {
  return { method, path: `/accounts/${user}/${verb}` }
}

const send = (to: Panel, token: string, { method, path, body }: Request, sentKey: string) =>
  to.call(method, `/api/v1${path}`, {
    token,
    key: sentKey,
    ...(body === undefined ? {} : { body }),
  })

function startWorker(): Promise<Child> {
  const args = [panel.databaseUrl, panel.root]
  return startProcess(t, 'test/fixtures/worker.ts', args, { ready: /started/ })
}

/** The worker is killed some milliseconds from now, and another one started. */
async function killSoon(afterMs: number): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, afterMs))
  await worker.kill()
  worker = await startWorker()
}
