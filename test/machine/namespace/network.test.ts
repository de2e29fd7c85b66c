import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { stepsOf } from '../../../src/host/apply.ts'
import { run } from '../../../src/host/tools/run.ts'
import { readServerKey } from '../../../src/model/server/server-key.ts'
import { addWebhook, secretsKey } from '../../../src/model/events/webhooks.ts'
import { ensureServerKey } from '../../../src/start/server-key.ts'
import { receiverFor } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { keepInClient, makeNetwork, ownAddress, setDropped, startPostgres } from '../network.ts'

// The network between the panel's processes and PostgreSQL drops everything, without a word: before
// and after each step of an operation, for shorter than anybody notices, for as long as the worker
// needs to, and for as long as PostgreSQL does. Nothing is undone, no start is counted, and
// everything continues within 20 s after the network is back.

const limitMs = 20_000

await makeNetwork()
const { environment, address } = await startPostgres(t)
Object.assign(process.env, environment)
// They read where PostgreSQL is when they are loaded.
const { openPanel } = await import('../../support/panel.ts')
const panel = await openPanel(t, { hasWorker: false })
const { call, pool, root } = panel
const databaseUrl = address(panel.databaseUrl)
await call('PUT', '/api/v1/packages/starter', { body: {} })

const rounds = [
  { verb: 'create', aim: 'active', downMs: 9_000 },
  { verb: 'suspend', aim: 'suspended', downMs: 20_000 },
  { verb: 'unsuspend', aim: 'active', downMs: 2_000 },
  { verb: 'terminate', aim: 'terminated', downMs: 9_000 },
] as const
const pointsOf = (aim: 'active' | 'suspended' | 'terminated') => 2 * new Set(stepsOf(aim)).size
// Where the machine is known to agree, an operation has fewer steps than there are.
const minPoints = 12
const maximum = Math.max(...rounds.map(({ aim }) => pointsOf(aim)))
const names = Array.from({ length: maximum }, (_, index) => `user${index}`)

const requestOf = (verb: string, username: string): [string, string, unknown?] => {
  const domain = `${username}.example`
  const email = `${username}@example.com`
  const account = { username, domain, email, password: 'correct horse', package: 'starter' }
  if (verb === 'create') return ['POST', '/api/v1/accounts', account]
  if (verb === 'terminate') return ['DELETE', `/api/v1/accounts/${username}`]
  return ['POST', `/api/v1/accounts/${username}/${verb}`, {}]
}

for (const { verb, aim, downMs } of rounds) {
  t.test(`${verb}: the network is down for ${downMs / 1_000} s at each step`, async t => {
    const file = join(root, '..', 'lost-starts.json')
    const worker = keepInClient(t, isFirst => [
      ...['test/support/programs/sole-worker.ts', databaseUrl, root, file],
      ...(isFirst ? ['each'] : []),
    ])
    await until(async () => /started/.test(worker.output()), 60_000)
    const points = () => new Set(worker.output().match(/^at .*$/gm))
    for (const username of names) {
      const [method, path, body] = requestOf(verb, username)
      void call(method, path, { body, key: `${verb} ${username}` }).catch(() => undefined)
    }
    // Each of them is held at a point that no other one is held at.
    let seen = 0
    for (let isSteady = false; !isSteady || seen === 0; isSteady = points().size === seen) {
      seen = points().size
      await sleep(2_000)
    }
    t.ok(seen >= minPoints, `held at ${seen} of ${pointsOf(aim)} points`)
    const before = await countsOf(verb)
    t.ok(before.running >= 2)

    await setDropped(true)
    worker.child().kill('SIGUSR2')
    await sleep(downMs)
    await setDropped(false)
    const backAt = performance.now()
    await until(async () => (await countsOf(verb)).open === 0, 60_000)
    const tookMs = Math.round(performance.now() - backAt)
    t.comment(`${tookMs} ms after the network was back; exits ${worker.codes.join()}`)
    t.ok(tookMs < limitMs, `${tookMs} ms`)
    t.strictSame(worker.codes, downMs > 5_000 ? [75] : [])
    t.match(await countsOf(verb), { asked: names.length, done: names.length, max_starts: 1 })
    const { rows } = await pool.query(
      `select starts, earlier_starts, error from panel.operations
       where key like $1 and (error is not null or earlier_starts is not null)`,
      [`${verb} %`],
    )
    t.strictSame(rows, [], 'none was undone, or interrupted')
  })
}

t.test('API and courier go on too, and answer meanwhile', async t => {
  const receiver = await receiverFor(t, ownAddress)
  const stateDir = join(root, '..', 'state')
  mkdirSync(stateDir)
  await ensureServerKey(join(stateDir, 'key'))
  const given = {
    DATABASE_URL: databaseUrl,
    PANEL_STATE_DIR: stateDir,
    PANEL_DEVELOPMENT: 'yes',
    PANEL_WEBHOOK_ALLOW: '10.90.3.0/24',
    PANEL_LISTEN: '127.0.0.1:8080',
    PANEL_BASE_URL: 'https://panel.test:8443',
  }
  const secret = { url: receiver.url, events: [], secret: 'a secret of the test' }
  await addWebhook(pool, secret, secretsKey(readServerKey(join(stateDir, 'key'))))
  const api = keepInClient(t, () => ['bin/panel-api.ts'], given)
  const courier = keepInClient(t, () => ['bin/panel-courier.ts'], given)
  const file = join(root, '..', 'lost-starts.json')
  keepInClient(t, () => ['test/support/programs/sole-worker.ts', databaseUrl, root, file])
  // It listens on the loopback interface of its own network.
  const ask = async (method: string, path: string, key = '', body: unknown = undefined) => {
    const status = await run('ip', [
      ...['netns', 'exec', 'client', 'curl', '--silent', '--output', '/dev/null'],
      ...['--write-out', '%{http_code}', '--max-time', '30', '--request', method],
      ...['--header', `Authorization: Bearer ${panel.token}`],
      ...(body === undefined ? [] : ['--json', JSON.stringify(body)]),
      ...(body === undefined ? [] : ['--header', `Idempotency-Key: ${key}`]),
      `http://127.0.0.1:8080${path}`,
    ]).catch(() => '0')
    return { status: Number(status) }
  }
  const isWell = async () => {
    await sleep(200)
    return (await ask('GET', '/api/v1/accounts')).status === 200
  }
  await until(isWell, 60_000)
  await until(async () => /courier ready/.test(courier.output()), 60_000)

  for (const downMs of [6_000, 18_000]) {
    const username = `during${downMs}`
    await setDropped(true)
    const answers = await Promise.all([
      sleep(downMs),
      ...Array.from({ length: 8 }, () => ask('GET', '/api/v1/accounts')),
    ])
    const asked = answers.slice(1) as Awaited<ReturnType<typeof ask>>[]
    // Within the 30 s that curl waits.
    if (downMs > 15_000) t.ok(asked.every(({ status }) => status === 503))
    // Events that happen meanwhile, and are delivered afterwards.
    await setDropped(false)
    const backAt = performance.now()
    const [method, path, body] = requestOf('create', username)
    await until(isWell, 60_000)
    await until(async () => (await ask(method, path, username, body)).status === 201, 60_000)
    const isDelivered = ({ body: sent }: { body: Buffer }) =>
      /account.created/.test(sent.toString()) && sent.includes(username)
    await until(async () => receiver.received.some(isDelivered), 60_000)
    const tookMs = Math.round(performance.now() - backAt)
    t.comment(`${tookMs} ms; the API ended ${api.codes.length} times, the courier ${courier.codes}`)
    t.ok(tookMs < limitMs + 5_000, `all three work ${tookMs} ms after the network was back`)
    t.strictSame(api.codes, [], 'the API lives on')
  }
})

type Counts = { asked: number; open: number; running: number; done: number; max_starts: number }

async function countsOf(verb: string): Promise<Counts> {
  const { rows } = await pool.query<Counts>(
    `select count(*)::int as asked,
       count(*) filter (where state not in ('done', 'failed'))::int as open,
       count(*) filter (where state in ('running', 'undoing'))::int as running,
       count(*) filter (where state = 'done' and status between 200 and 299)::int as done,
       max(starts) as max_starts
     from panel.operations where key like $1`,
    [`${verb} %`],
  )
  return rows[0]!
}
