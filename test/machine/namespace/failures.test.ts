import t from 'tap'
import { stepsOf } from '../../../src/host/apply.ts'
import { alice, openPanel } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { look, readFiles, nothing } from '../account.ts'
import { startServices, expectPage } from '../machine.ts'
import { hungTools, isExecuted, keepWorker, plan, uidOf, type Plan } from '../plans.ts'

// Every step of every operation fails in turn, and hangs until its limit, on the real machine. The
// steps are the host's own list, so new ones are covered too. Each account of this file goes
// through its whole life, and in each operation its own step fails.

startServices('nginx')
const panel = await openPanel(t, { hasWorker: false })
await keepWorker(t, panel)
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 64 } })
await panel.call('PUT', '/api/v1/packages/other', { body: { memory_mb: 96, sftp: false } })

const max = Math.max(
  ...(['active', 'suspended', 'terminated'] as const).map(a => stepsOf(a).length),
)
const ways = ['fail', 'hang'] as const
// A tool that hangs has done nothing in one operation, and all of its work in the next.
const hangs = ['inTool', 'afterTool'] as const
let turn = 0
const lives = ways.flatMap(way =>
  Array.from({ length: max }, (_, index) => {
    const username = `${way}${index}`
    return { username, domain: `${username}.example`, index, way }
  }),
)
type Life = (typeof lives)[number]

const paths = ({ username }: Life) => `/api/v1/accounts/${username}`
const failure = { error: 'The operation failed and was undone; it can be retried' }

/** Fails an operation in the account's own step, and lets its repeat succeed. */
type Operation = {
  steps: string[]
  call: (life: Life) => [method: string, path: string, body?: unknown]
  /** The answer when it is done. */
  state: string
}

const operations: Record<string, Operation> = {
  suspend: {
    steps: stepsOf('suspended'),
    call: life => ['POST', `${paths(life)}/suspend`, { reason: 'unpaid' }],
    state: 'suspended',
  },
  unsuspend: {
    steps: stepsOf('active'),
    call: life => ['POST', `${paths(life)}/unsuspend`],
    state: 'active',
  },
  'package change': {
    steps: stepsOf('active'),
    call: life => ['PUT', `${paths(life)}/package`, { package: 'other' }],
    state: 'active',
  },
  password: {
    steps: stepsOf('active'),
    call: life => ['PUT', `${paths(life)}/password`, { password: 'another horse battery' }],
    state: 'active',
  },
}

t.test('a create that fails leaves nothing, and its repeat succeeds', t =>
  inEachStep(stepsOf('active'), async (life, output) => {
    const { username, domain } = life
    const request = { key: username, body: { ...alice, username, domain } }
    const create = () => panel.call('POST', '/api/v1/accounts', request)
    t.match(await create(), { status: 500, body: failure }, output)
    t.strictSame(readFiles(username, uidOf(username), domain), nothing, output)
    t.strictSame(await rowsOf(username), { accounts: '0', events: '0' }, output)
    const repeat = await create()
    t.equal(repeat.status, 201, `${output} ${repeat.text}`)
    await expectPage(domain, '/', /^200 /)
  }),
)

for (const [name, { steps, call, state }] of Object.entries(operations)) {
  t.test(`a failed ${name} restores what was, and its repeat succeeds`, t =>
    inEachStep(steps, async (life, output) => {
      const { username, domain } = life
      const uid = uidOf(username)
      const [method, path, body] = call(life)
      const request = { key: `${name} ${username}`, ...(body === undefined ? {} : { body }) }
      const before = await look(username, uid, domain)
      const record = (await panel.call('GET', paths(life))).text
      t.match(await panel.call(method, path, request), { status: 500, body: failure }, output)
      await expectPage(domain, '/', new RegExp(`^${before['status']} `))
      t.strictSame(await look(username, uid, domain), before, output)
      t.equal((await panel.call('GET', paths(life))).text, record, output)
      const repeat = await panel.call(method, path, request)
      t.match(repeat, { status: 200, body: { state } }, `${output} ${repeat.text}`)
      const expected = state === 'suspended' ? 503 : 200
      await expectPage(domain, '/', new RegExp(`^${expected} `))
    }),
  )
}

// Deferred operations are made due now.
const hurry = setInterval(() => {
  const isDeferred = `state in ('running', 'undoing') and error is not null and due_at > now()`
  void panel.pool.query(`update panel.operations set due_at = now() where ${isDeferred}`)
}, 200)
t.teardown(() => clearInterval(hurry))

t.test('a terminate that fails stays terminating until it is done', t =>
  inEachStep(stepsOf('terminated'), async (life, output) => {
    const { username, domain } = life
    const uid = uidOf(username)
    const pending = panel.call('DELETE', paths(life), { key: `terminate ${username}` })
    await until(() => isExecuted(username))
    const { body } = await panel.call('GET', paths(life))
    t.ok(body.state === 'terminating' || body.error !== undefined, `${output} ${body.state}`)
    t.match(await pending, { status: 200, body: { state: 'terminated' } }, output)
    t.strictSame(readFiles(username, uid, domain), { ...nothing, trash: true }, output)
  }),
)

t.test('the undo of a create goes on until nothing is left', async t => {
  await inEachStep(
    stepsOf('erased'),
    async (life, output) => {
      const { username, domain } = life
      const body = { ...alice, username: `e${username}`, domain: `e${domain}` }
      const pending = panel.call('POST', '/api/v1/accounts', { body })
      await until(() => isExecuted(body.username))
      t.match(await pending, { status: 500 }, output)
      const uid = uidOf(body.username)
      t.strictSame(readFiles(body.username, uid, body.domain), nothing, output)
      t.strictSame(await rowsOf(body.username), { accounts: '0', events: '0' }, output)
    },
    (life, step) => {
      // After the last step, so that there is everything to erase.
      const last = { step: stepsOf('active').at(-1)!, how: 'fail', moment: 'after' } as const
      plan(`e${life.username}`, last, goingWrong(life, step))
    },
  )
})

t.test('hangs were those of the tools that the steps run', async t => {
  const hung = hungTools()
  for (const tool of [
    ...['user: useradd', 'lock: usermod', 'unlock: chpasswd', 'unlock: usermod'],
    ...['home: tar', 'remove user: userdel'],
    ...['sftp: gpasswd', 'remove orphaned files: find', 'erase home: rm'],
  ])
    t.ok(hung.includes(tool), tool)
  t.comment(hung.join('; '))
})

// Several at a time, as in the worker; each account fails in the same step of each operation. One
// in whose step a tool hangs that others share goes alone, after them.
async function inEachStep(
  steps: string[],
  act: (life: Life, output: string) => Promise<void>,
  prepare = (life: Life, step: string) => plan(life.username, goingWrong(life, step)),
): Promise<void> {
  turn++
  const stepOf = (life: Life) => steps[life.index % steps.length]!
  const isAlone = (life: Life) => life.way === 'hang' && stepOf(life) === 'unlock'
  const inTurn = async (waiting: Life[]) => {
    for (let life = waiting.shift(); life !== undefined; life = waiting.shift()) {
      const step = stepOf(life)
      prepare(life, step)
      await act(life, `«${step}» ${life.way}s (${life.username})`)
    }
  }
  const together = lives.filter(life => !isAlone(life))
  await Promise.all(Array.from({ length: 8 }, () => inTurn(together)))
  await inTurn(lives.filter(isAlone))
}

function goingWrong({ way, index }: Life, step: string): Plan {
  if (way === 'fail') return { step, how: way, moment: 'before' }
  return { step, how: way, moment: hangs[(index + turn) % hangs.length]! }
}

async function rowsOf(username: string): Promise<Record<string, string>> {
  const { rows } = await panel.pool.query(
    `select (select count(*) from panel.accounts where username = $1) as accounts,
       (select count(*) from panel.events where data ->> 'username' = $1) as events`,
    [username],
  )
  return rows[0]
}
