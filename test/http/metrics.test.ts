import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { courierOn, emitted, webhookTo } from '../support/courier.ts'
import { openPanel, type Panel } from '../support/panel.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const metricsToken = 'a token that is long enough, and has no space'.replaceAll(' ', '-')

t.test('without a token of its own there is no /metrics', async t => {
  const panel = await openPanel(t, { hasWorker: false })
  t.match(await panel.call('GET', '/metrics'), { status: 404 })
})

t.test('/metrics is for its token, and no other', async t => {
  const panel = await openPanel(t, { hasWorker: false, metricsToken })
  for (const token of [null, panel.token, `${metricsToken}x`]) {
    t.match(await panel.call('GET', '/metrics', { token }), { status: 401 })
  }
  const { status, headers } = await panel.call('GET', '/metrics', { token: metricsToken })
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
})

t.test('requests are counted by route and status, without names', async t => {
  const panel = await openPanel(t, { metricsToken })
  await panel.call('GET', '/api/v1/accounts/missing')
  await panel.call('GET', '/no/such/secret')
  const text = await read(panel)
  const route = 'method="GET",route="/api/v1/accounts/:username"'
  t.match(text, `panel_http_requests_total{${route},status="404"} 1\n`)
  t.match(text, 'panel_http_requests_total{method="GET",route="none",status="404"} 1\n')
  t.match(text, `panel_http_request_duration_seconds_count{${route}} 1\n`)
  t.notMatch(text, /missing|secret/)
})

t.test('ended operations are counted, also when their rows are gone', async t => {
  const panel = await openPanel(t, { metricsToken })
  const create = (username: string) =>
    panel.call('POST', '/api/v1/accounts', { body: { username, ...rest } })
  t.match(await panel.call('PUT', '/api/v1/packages/starter', { body: {} }), { status: 201 })
  t.match(await create('alice'), { status: 201 })
  t.match(await create('alice'), { status: 400 })
  const found = async () => {
    const text = await read(panel)
    t.match(text, 'panel_accounts{state="active"} 1\n')
    t.match(text, 'panel_jobs_ended_total{task="account/create",outcome="done"} 1\n')
    t.match(text, /panel_jobs_ended_total\{task="\S+",outcome="refused"\} 1\n/)
    t.match(text, 'panel_process_up{process="worker"} 1\n')
    t.match(text, 'panel_process_up{process="courier"} 0\n')
    t.match(text, 'panel_queue_due_jobs{queue="worker"}')
  }
  await found()
  await panel.pool.query(`
    update panel.operations set created_at = created_at - interval '2 days',
      finished_at = finished_at - interval '2 minutes';
    update panel.ended_totals_until set at = at - interval '1 hour'`)
  await found()
  await panel.pool.query('select panel.purge(1000)')
  const { rows } = await panel.pool.query('select from panel.operations')
  t.equal(rows.length, 0)
  await found()
})

t.test('deliveries are counted by outcome', async t => {
  const panel = await openPanel(t, { hasWorker: false, metricsToken })
  await courierOn(t, panel.databaseUrl)
  const text = await read(panel)
  t.match(text, 'panel_deliveries_due 0\n')
  t.match(text, 'panel_delivery_tries_in_flight 0\n')
  const receiver = await receiverFor(t)
  await webhookTo(panel.pool, receiver.url)
  await emitted(panel.pool, 'account.deleted', { username: 'alice' })
  t.ok(
    await until(async () =>
      (await read(panel)).includes('panel_deliveries_ended_total{outcome="delivered"} 1\n'),
    ),
  )
})

const rest = { password: 'correct horse battery', email: 'a@example.com', package: 'starter' }

async function read(panel: Panel): Promise<string> {
  return (await panel.call('GET', '/metrics', { token: metricsToken })).text
}

t.test('every metric in dashboard, alert rules and reference exists', async t => {
  const panel = await openPanel(t, { hasWorker: false, metricsToken })
  const there = new Set(
    Array.from(await (await read(panel)).matchAll(/^# TYPE (\S+)/gm), m => m[1]),
  )
  const docs = join(import.meta.dirname, '../../docs')
  const dashboard = readFileSync(join(docs, 'monitoring/dashboard.json'), 'utf8')
  t.ok((JSON.parse(dashboard) as { panels: unknown[] }).panels.length > 10)
  const alerts = readFileSync(join(docs, 'monitoring/alerts.yaml'), 'utf8')
  const { groups } = parse(alerts) as { groups: { rules: { alert: string; expr: string }[] }[] }
  t.ok(groups[0]?.rules.every(({ alert, expr }) => alert && expr))
  const reference = readFileSync(join(docs, 'reference/monitoring.md'), 'utf8')
  for (const [index, text] of [dashboard, alerts, reference].entries()) {
    const named = Array.from(text.matchAll(/\bpanel_\w+/g), ([name]) =>
      name.replace(/_bucket$/, ''),
    )
    for (const name of new Set(named)) t.ok(there.has(name), `${name} of ${index}`)
    if (index === 2)
      t.strictSame(
        [...there].filter(name => !named.includes(`${name}`)),
        [],
      )
  }
})
