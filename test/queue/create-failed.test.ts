import t from 'tap'
import { stepsOf } from '../../src/host/apply.ts'
import { alice, openPanel } from '../panel.ts'
import { tree } from '../tree.ts'
import { until } from '../until.ts'

// A create with a failing step ends in 500 and leaves nothing. Once the cause is gone, the same key
// succeeds.

let failing: string[] = []
const panel = await openPanel(t, {
  observe: async (step, work) => {
    await work()
    if (failing.includes(step)) throw new Error('the disk is on fire')
  },
})
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

for (const [index, step] of stepsOf('active').entries()) {
  t.test(`a create that fails at «${step}» leaves nothing and can be repeated`, async t => {
    const body = { ...alice, username: `user${index}`, domain: `site${index}.example` }
    const request = { key: `failed-${index}`, body }
    const before = { files: await tree(panel.root), rows: await rows() }
    failing = [step]
    const failed = await panel.call('POST', '/api/v1/accounts', request)
    t.equal(failed.status, 500)
    t.notMatch(failed.text, /fire/, 'the reason is the administrator’s')
    t.strictSame({ files: await tree(panel.root), rows: await rows() }, before)
    t.equal((await panel.call('GET', `/api/v1/accounts/user${index}`)).status, 404)
    const { rows: operations } = await panel.pool.query(
      'select state, error from panel.operations where key = $1',
      [request.key],
    )
    t.match(operations, [{ state: 'failed', error: 'the disk is on fire' }])

    failing = []
    const repeat = await panel.call('POST', '/api/v1/accounts', request)
    t.equal(repeat.status, 201)
    t.equal(repeat.headers.get('idempotent-replayed'), null)
  })
}

t.test('an undo that fails holds the key and is taken up again until it is done', async t => {
  const request = { key: 'undo', body: { ...alice, username: 'erin', domain: 'erin.example' } }
  const before = await tree(panel.root)
  failing = ['unlock', 'erase home']
  const answer = panel.call('POST', '/api/v1/accounts', request)
  await until(async () => {
    const { rows } = await panel.pool.query(
      `select state, error, due_at > now() as deferred from panel.operations where key = 'undo'`,
    )
    return rows[0]?.deferred === true && /not undone yet/.test(rows[0].error)
  })
  t.equal((await panel.call('POST', '/api/v1/accounts', request)).status, 409)

  failing = []
  await panel.pool.query(`update panel.operations set due_at = now() where key = 'undo'`)
  t.equal((await answer).status, 500)
  t.strictSame(await tree(panel.root), before)
  t.equal((await panel.call('POST', '/api/v1/accounts', request)).status, 201)
})

async function rows() {
  const { rows: counts } = await panel.pool.query(
    `select (select count(*)::int from panel.accounts) as accounts,
       (select count(*)::int from panel.site_names) as names,
       (select count(*)::int from panel.events) as events,
       (select count(*)::int from worker_queue._private_jobs where locked_at is null) as jobs`,
  )
  return counts[0]
}
