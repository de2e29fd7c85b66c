import t from 'tap'
import { alice, call, openPanel } from '../panel.ts'
import { startProcess } from '../processes.ts'
import { barrier, until } from '../until.ts'

// Whatever a caller was told, or may have been told, survives the process that told it.

let hold: ReturnType<typeof barrier> | undefined
const panel = await openPanel(t, {
  observe: async (_step, work) => {
    await hold?.pass()
    await work()
  },
})
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

async function startApi() {
  const environment = {
    DATABASE_URL: panel.databaseUrl,
    PANEL_LISTEN: '127.0.0.1:0',
    PANEL_DEVELOPMENT: 'yes',
  }
  let said = ''
  const process = await startProcess(t, 'bin/panel-api.ts', [], {
    ready: /"port":[0-9]+/,
    environment,
    onOutput: text => (said += text),
  })
  const port = /"port":([0-9]+)/.exec(said)?.[1]
  return { ...process, url: `http://127.0.0.1:${port}/api/v1/accounts` }
}

t.test('an API process killed while it waits loses nothing', async t => {
  hold = barrier()
  const api = await startApi()
  const request = { token: panel.token, key: 'killed', body: alice }
  const lost = call(api.url, 'POST', request).catch(error => error)
  await hold.stopped
  await api.kill()
  t.type(await lost, Error)

  const successor = await startApi()
  t.equal((await call(successor.url, 'POST', request)).status, 409)
  hold.open()
  hold = undefined
  await until(async () => (await call(successor.url, 'POST', request)).status !== 409)
  const answer = await call(successor.url, 'POST', request)
  t.match(answer, { status: 201, body: { username: 'alice', state: 'active' } })
  t.equal(answer.headers.get('idempotent-replayed'), 'true')
  const { rows } = await panel.pool.query('select count(*)::int as n from panel.accounts')
  t.equal(rows[0].n, 1)
})

t.test(
  'what still waits when an API process has to stop gets a 503, and loses nothing',
  async t => {
    hold = barrier()
    const api = await startApi()
    const request = { token: panel.token, key: 'released' }
    const waiting = call(`${api.url}/alice/suspend`, 'POST', request)
    await hold.stopped
    api.child.kill('SIGTERM')
    const answer = await waiting
    t.equal(answer.status, 503)
    t.ok(answer.headers.get('retry-after'))
    await api.exited
    hold.open()
    hold = undefined
    const repeat = () => panel.call('POST', '/api/v1/accounts/alice/suspend', request)
    await until(async () => (await repeat()).status !== 409)
    t.match(await repeat(), { status: 200, body: { state: 'suspended' } })
    await panel.call('POST', '/api/v1/accounts/alice/unsuspend')
  },
)

t.test('an API process told to stop answers what waits, and takes nothing new', async t => {
  hold = barrier()
  const api = await startApi()
  const request = { token: panel.token, key: 'stopped' }
  const waiting = call(`${api.url}/alice/suspend`, 'POST', request)
  await hold.stopped
  api.child.kill('SIGTERM')
  await until(async () => {
    const refused = await call(api.url, 'GET', request).catch(() => undefined)
    return refused === undefined
  })
  hold.open()
  hold = undefined
  t.match(await waiting, { status: 200, body: { state: 'suspended' } })
  await api.exited
  t.equal(api.child.exitCode, 0)
})
