import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { fileTimeoutS, isFull } from '../support/full.ts'
import { call, openPanel, type Answer } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { startApi } from '../support/api/api-process.ts'
import { Model, type Predicted, type Request } from '../support/api/model.ts'
import {
  deaths,
  offered,
  step,
  usernames,
  type KillMs,
  type Step,
} from '../support/api/random-steps.ts'

// Random sequences of operations, repeats, kills of worker and API and moves of the clock, compared
// with a small model of the specification. PANEL_TEST_FULL=yes or RANDOM_RUNS ask for more of them,
// RANDOM_SEED for others.

const numRuns = Number(process.env['RANDOM_RUNS'] ?? (isFull ? 50 : 3))
const seed = Number(process.env['RANDOM_SEED'] ?? 7)

t.setTimeout(fileTimeoutS * 1_000)

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel
let isOver = false
// The number of times that each interesting case occurred.
const seen = { died: 0, killed: 0, replayed: 0, mismatched: 0, succeeded: 0, expired: 0 }

t.test('every answer is the one that the specification foretells', async t => {
  void superviseWorkers()
  try {
    const sequences = fc.array(step, { minLength: 15, maxLength: 40 })
    await fc.assert(fc.asyncProperty(sequences, run), { numRuns, endOnFailure: true, seed })
  } finally {
    isOver = true
  }
  for (const [what, times] of Object.entries(seen)) t.ok(times > 0, `${what}: ${times}`)
})

async function run(steps: Step[]): Promise<void> {
  const { token } = await createToken(pool, { owner: 'admin', name: 'random' })
  for (const user of usernames) await panel.call('DELETE', `/api/v1/accounts/${user}`)
  await panel.call('DELETE', '/api/v1/packages/extra')
  for (const each of offered) await panel.call('PUT', `/api/v1/packages/${each}`)
  const eventsBefore = (await pool.query('select from panel.events')).rowCount ?? 0

  const model = new Model(offered)
  const sent: { key: string; request: Request }[] = []
  for (const each of steps) {
    if (each.kind === 'clock') {
      model.pass(each.hours)
      const by = `${each.hours} hours`
      await pool.query('update panel.operations set created_at = created_at - $1::interval', [by])
      continue
    }
    const first = each.kind === 'repeat' ? sent.at(-1 - (each.back % sent.length)) : undefined
    const key = first?.key ?? `key ${sent.length}`
    const request = each.kind === 'repeat' ? (each.other ?? first?.request) : each.request
    if (request === undefined) continue

    const predicted = model.predict(key, request)
    const { answer, wasLost } = await send(token, key, request, each.killMs)
    compare(request, predicted, answer, wasLost)
    count(predicted, first !== undefined)
    if (!predicted.isNew) continue
    model.record(key, request, answer)
    sent.push({ key, request })
  }
  await compareState(model, eventsBefore)
}

async function send(token: string, key: string, request: Request, killMs: KillMs) {
  const { method, path, body } = request
  const to = (baseUrl: string) =>
    call(`${baseUrl}/api/v1${path}`, method, { token, key, ...(body && { body }) })
  if (killMs === null) return { answer: await to(panel.baseUrl), wasLost: false }

  const api = await startApi(t, panel.databaseUrl)
  const first = to(api.baseUrl).catch(() => undefined)
  await sleep(killMs)
  await api.kill()
  seen.killed++
  const answered = await first
  if (answered !== undefined) return { answer: answered, wasLost: false }
  const answer = await until(async () => {
    const again = await to(panel.baseUrl)
    return again.status !== 409 && again
  })
  return { answer, wasLost: true }
}

function compare(sent: Request, predicted: Predicted, answer: Answer, wasLost: boolean): void {
  const isReplay = answer.headers.get('idempotent-replayed') === 'true'
  const { username, state, package: its } = answer.body ?? {}
  const found: Predicted = {
    status: answer.status,
    isNew: predicted.isNew,
    // After a lost answer it is unknown whether the first attempt was recorded.
    isReplay: wasLost && predicted.isNew ? false : isReplay,
    ...(predicted.text === undefined ? {} : { text: answer.text }),
    ...(predicted.account && { account: { state, package: its, username } }),
  }
  same(found, predicted, `${JSON.stringify(sent)}: ${answer.text}`)
}

function count({ isReplay, isNew, status }: Predicted, isKnownKey: boolean): void {
  if (isReplay) seen.replayed++
  else if (!isNew) seen.mismatched++
  else if (isKnownKey) seen.expired++
  if (isNew && status < 300) seen.succeeded++
}

async function compareState(model: Model, eventsBefore: number): Promise<void> {
  const { accounts } = (await panel.call('GET', '/api/v1/accounts')).body
  const found = accounts.map(({ username, state, package: its }: Record<string, unknown>) => [
    username,
    { state, package: its },
  ])
  same(
    found,
    [...model.accounts].sort(([one], [other]) => (one < other ? -1 : 1)),
    'accounts',
  )
  const { packages } = (await panel.call('GET', '/api/v1/packages')).body
  const names = packages.map(({ name }: { name: string }) => name)
  same(names, [...model.packages].sort(), 'packages')
  const { rows } = await pool.query<{ event: string }>(
    `select name || ' ' || (data ->> 'username') as event from panel.events
     order by id offset $1`,
    [eventsBefore],
  )
  const events = rows.map(({ event }) => event)
  same(events, model.events, 'events')
}

function same(found: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${what}: ${one}; expected ${other}`)
}

// One worker after the other, each of which dies at work.
async function superviseWorkers(): Promise<void> {
  for (const [steps, moment] of deaths(seed)) {
    const args = [panel.databaseUrl, panel.root, String(steps), moment]
    const ready = untilStarted
    // A worker with enough to do dies before it reports its start.
    const worker = await startProcess(t, 'test/support/programs/worker.ts', args, ready).catch(
      () => null,
    )
    await worker?.exited
    if (isOver) return
    seen.died++
  }
}
