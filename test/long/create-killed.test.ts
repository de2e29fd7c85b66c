import t, { type Test } from 'tap'
import { stepsOf } from '../../src/host/apply.ts'
import { alice, call, openPanel } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'

// The worker is killed between every two steps of a create, and the caller repeats with its key.
// The steps are the host's own list, so new ones are covered too.

const panel = await openPanel(t, { hasWorker: false })
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

const steps = stepsOf('active')
const moments = [
  ...steps.map(step => ({ step, moment: 'before' })),
  { step: steps.at(-1)!, moment: 'after' },
]

for (const [index, { step, moment }] of moments.entries()) {
  t.test(`a worker killed ${moment} «${step}» is succeeded and the create completes`, async t => {
    const request = {
      key: `killed-${index}`,
      body: { ...alice, username: `user${index}`, domain: `site${index}.example` },
    }
    const killed = await startWorker(t, step, moment)
    const first = panel.call('POST', '/api/v1/accounts', request)
    await killed.exited

    t.equal((await panel.call('POST', '/api/v1/accounts', request)).status, 409)
    const startedAt = Date.now()
    // A whole process once; the others are in this process, which is quicker.
    const end = index === 0 ? (await startWorker(t)).kill : (await panel.startWorker()).stop
    const repeat = await untilAnswered(request)
    t.ok(Date.now() - startedAt < 5_000, `answered after ${Date.now() - startedAt} ms`)

    t.equal(repeat.status, 201)
    t.equal(repeat.body.state, 'active')
    const answer = await first
    t.equal(answer.status, 201, 'the first caller, still waiting, is answered too')
    t.equal(answer.text, repeat.text)
    const { rows } = await panel.pool.query(
      `select name from panel.events where data ->> 'username' = $1 order by id`,
      [request.body.username],
    )
    t.strictSame(rows, [{ name: 'account.created' }, { name: 'site.created' }])
    await end()
  })
}

function startWorker(t: Test, ...doom: string[]) {
  const args = [panel.databaseUrl, panel.root, ...doom]
  return startProcess(t, 'test/support/programs/worker.ts', args, untilStarted)
}

async function untilAnswered(request: { key: string; body: unknown }) {
  for (;;) {
    const answer = await call(`${panel.baseUrl}/api/v1/accounts`, 'POST', {
      token: panel.token,
      ...request,
    })
    if (answer.status !== 409) return answer
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
