import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { openGate } from '../support/gate.ts'
import { alice, call, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { startApi } from '../support/api/api-process.ts'

// An answer that a caller has received, or may have received, survives the death of its process.

const gate = openGate()
const panel = await openPanel(t, { observe: gate.observe })
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

const apiProcess = async () => {
  const started = await startApi(t, panel.databaseUrl)
  return { ...started, url: `${started.baseUrl}/api/v1/accounts` }
}

t.test('an API process killed while it waits loses nothing', async t => {
  gate.close()
  const api = await apiProcess()
  const request = { token: panel.token, key: 'killed', body: alice }
  const lost = call(api.url, 'POST', request).catch(error => error)
  await gate.reached()
  await api.kill()
  t.type(await lost, Error)

  const successor = await apiProcess()
  t.equal((await call(successor.url, 'POST', request)).status, 409)
  gate.open()
  await until(async () => (await call(successor.url, 'POST', request)).status !== 409)
  const answer = await call(successor.url, 'POST', request)
  t.match(answer, { status: 201, body: { username: 'alice', state: 'active' } })
  t.equal(answer.headers.get('idempotent-replayed'), 'true')
  const { rows } = await panel.pool.query('select count(*)::int as n from panel.accounts')
  t.equal(rows[0].n, 1)
})

t.test('a request that still waits when an API process stops gets a 503 or its job', async t => {
  gate.close()
  const api = await apiProcess()
  const request = { token: panel.token, key: 'released' }
  const waiting = call(`${api.url}/alice/suspend`, 'POST', request)
  await gate.reached()
  const waitingRequest = { ...request, key: 'slow', headers: { prefer: 'respond-async, wait=60' } }
  const blocked = call(`${api.url}/alice/unsuspend`, 'POST', waitingRequest)
  const slow = openSocket(api.baseUrl)
  slow.write(
    `PUT /api/v1/packages/slow HTTP/1.1\r\nHost: x\r\n${bearer}\r\nContent-Length: 2\r\n\r\n{`,
  )
  await until(() => recorded('slow'))
  api.child.kill('SIGTERM')

  const answer = await waiting
  t.equal(answer.status, 503)
  t.ok(answer.headers.get('retry-after'))
  const accepted = await blocked
  t.match(accepted, { status: 202, body: { state: 'queued' } })
  await api.exited
  t.equal(api.child.exitCode, 0, 'a caller who never ends does not hold it up')

  gate.open()
  const repeat = () => panel.call('POST', '/api/v1/accounts/alice/suspend', request)
  await until(async () => (await repeat()).status !== 409)
  t.match(await repeat(), { status: 200, body: { state: 'suspended' } })
  const path = accepted.headers.get('location')!
  const job = await until(async () => {
    const { body } = await panel.call('GET', path)
    return body.state === 'succeeded' && body
  })
  t.match(job, { status: 200, result: { state: 'active' } })
})

t.test('a stopping API process answers what waits, and accepts nothing new', async t => {
  gate.close()
  const api = await apiProcess()
  const idle = openSocket(api.baseUrl)
  idle.write(toKept('GET', '/packages'))
  await once(idle, 'data')
  const busy = openSocket(api.baseUrl)
  busy.write(toKept('POST', '/accounts/alice/suspend', 'stopped'))
  await gate.reached()
  api.child.kill('SIGTERM')
  await once(idle, 'close')
  const refused = await call(api.url, 'GET', { token: panel.token }).catch(error => error)
  t.type(refused, Error)
  busy.write(toKept('POST', '/accounts/alice/unsuspend', 'late'))
  gate.open()
  const chunks: Buffer[] = []
  busy.on('data', chunk => chunks.push(chunk))
  await once(busy, 'close')
  const [head = '', body = '', ...others] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  t.match(head, /^HTTP\/1\.1 200 /)
  t.match(head, /^connection: close\r?$/im)
  t.match(JSON.parse(body), { username: 'alice', state: 'suspended' })
  t.strictSame(others, [])
  await api.exited
  t.equal(api.child.exitCode, 0)
  t.notOk(await recorded('late'), 'what came after the signal is left to be repeated')
})

const bearer = `Authorization: Bearer ${panel.token}`

function openSocket(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl)
  return connect(Number(port), hostname).on('error', () => undefined)
}

/** A request without a body, on a connection that is kept open. */
const toKept = (method: string, path: string, key = 'none') =>
  `${method} /api/v1${path} HTTP/1.1\r\nHost: x\r\n${bearer}\r\nIdempotency-Key: ${key}\r\n\r\n`

async function recorded(key: string): Promise<boolean> {
  const { rowCount } = await panel.pool.query('select from panel.operations where key = $1', [key])
  return rowCount === 1
}
