import type { Test } from 'tap'
import { accountOf, isClean, newOrder } from '../scenarios.ts'
import type { WhmcsBench } from './bench.ts'

// WHMCS's view of an account, and its figures for billing.

const asksFor = (service: string) => ({ function: 'AdminServicesTabFields', service })

export async function views(t: Test, { panel, php, faulty, server }: WhmcsBench): Promise<void> {
  await t.test('pages are drawn without asking the panel', async t => {
    const from = faulty.heard.length
    const params = { serverhostname: '127.0.0.1', serverport: String(faulty.port), serviceid: 5 }
    const area = await php.run('function', { name: 'ClientArea', params })
    t.match(area.value.templateVariables, { service: 5, isActive: true })
    const ended = { ...params, status: 'Terminated' }
    const { value } = await php.run('function', { name: 'ClientArea', params: ended })
    t.equal(value.templateVariables.isActive, false)
    const link = await php.run('function', { name: 'AdminLink', params })
    t.match(link.value, `href="http://127.0.0.1:${faulty.port}/"`)
    t.equal(faulty.heard.length, from)
  })

  await t.test('the administrator sees how an account is', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    await php.run('suspend', { service, reason: `<b>Overdue</b>` })
    const rows = async () => {
      const outcome = await php.run('asked', { function: 'AdminServicesTabFields', service })
      isClean(t, outcome, [panel.token])
      return outcome.value
    }
    t.match(await rows(), {
      'State on the panel': /^suspended: (&lt;|‹)b/,
      'E-mail address': order.email,
      Disk: /^\d+ of 1024 MB$/,
      'Bandwidth this month': /^\d+ MB$/,
      Websites: `${order.domain}, certificate: none`,
      'Last jobs':
        /^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}account\/suspend: succeeded<br \/>\n.*account\/create/,
    })
    const other = newOrder()
    await php.run('create', other)
    const columns = { username: (await php.run('service', other)).value.username }
    await php.run('setService', { service, columns })
    t.match(await rows(), { Panel: /belongs to another order: its reference is/ })
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    t.strictSame(Object.keys(await rows()), ['Panel'])
    // As after an update of a module that had no hooks before.
    await php.run('connect', server)
    t.notOk('Hooks' in (await php.run('asked', asksFor(other.service))).value)
    await php.run('unloadHooks')
    const { value } = await php.run('asked', asksFor(other.service))
    t.match(value, { Hooks: /Module Settings .* Save Changes/ })
    t.match(await accountOf(panel, username), { state: 'suspended' })
  })

  await t.test('products can be priced by disk and bandwidth', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const { username } = (await php.run('create', newOrder())).value
    await panel.pool.query(
      `insert into panel.disk_usage (account_id, bytes, measured_at)
       select id, 3 * 1048576, now() from panel.accounts
       where username = $1 on conflict (account_id) do update set bytes = excluded.bytes`,
      [username],
    )
    const from = faulty.heard.length
    const outcome = await php.run('metrics', { username })
    isClean(t, outcome, [panel.token])
    const { offered, all, one } = outcome.value
    t.strictSame(offered, ['disk_used_mb', 'bandwidth_used_mb'])
    const desired = [
      ['disk_used_mb', 'snapshot', 3],
      ['bandwidth_used_mb', 'month', 0],
    ]
    t.strictSame(one, desired)
    t.strictSame(all[username], desired)
    t.equal(faulty.heard.length - from, 2, 'one call for all, and one for one')
    // A cron job goes on to the next server.
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    const failed = await php.run('metrics', { username })
    t.match(failed.value, { all: [], one: [] })
    t.match(failed.logged, /HTTP 401/)
  })

  await t.test('the client area’s first page has a button for each service', async t => {
    const from = faulty.heard.length
    const { value } = await php.run('asked', { function: 'CustomActions' })
    t.match(value.all, [
      ['panel', 'Log in to the panel', 'panel_ServiceSingleSignOn', [{}], ['productsso'], true],
    ])
    t.equal(faulty.heard.length, from)
  })
}
