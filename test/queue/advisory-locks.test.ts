import t from 'tap'
import { connect, connection, openPool, type Pool, type Role } from '../../src/db.ts'
import { migrate } from '../../src/migrate.ts'
import {
  areLocksOpen,
  closeLockFunctions,
  closeWhereAllowed,
} from '../../src/model/server/lock-functions.ts'
import { alice, openPanel } from '../support/panel.ts'
import { address } from '../support/database.ts'
import { until } from '../support/until.ts'

// A lock's holder is trusted: a lane's holder changes the machine, and a pool's jobs are its own.
// So no role takes a lock that is not one of its own work.

const panel = await openPanel(t)
const { call, pool, databaseUrl } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
const roles = ['panel_api', 'panel_worker', 'panel_courier'] as const
const pools = new Map<Role, Pool>(roles.map(role => [role, openPool(databaseUrl, role, 1)]))
t.teardown(() => Promise.all([...pools.values()].map(each => each.end())))
const as = (role: Role, text: string, values: unknown[] = []) =>
  pools.get(role)!.query(text, values)

t.test('no role of a process can call any of PostgreSQL’s lock functions', async t => {
  const { rows: functions } = await pool.query<{ name: string; given: string }>(
    `select proname as name, array_to_string(array(
       select format('1::%s', format_type(a, null)) from unnest(proargtypes) a), ', ') as given
     from pg_proc
     where pronamespace = 'pg_catalog'::regnamespace and proname like '%advisory%'`,
  )
  t.ok(
    functions.length >= 21,
    'shared, of a transaction, tried, given back, of one and two numbers',
  )
  for (const role of roles) {
    for (const { name, given } of functions) {
      const refused = { code: '42501', message: /permission denied for function/ }
      await t.rejects(as(role, `select ${name}(${given})`), refused, `${role}: ${name}(${given})`)
    }
  }
})

t.test('each role takes the locks of its own work only, by functions of the panel', async t => {
  const { rows } = await pool.query<{ id: string }>('select id from panel.accounts')
  const lane = rows[0]!.id
  const allowed: [Role, string][] = [
    ['panel_worker', `select panel.lock_pool('pool-x')`],
    ['panel_worker', `select panel.unlock_lanes(array[${lane}, 0, -1, -2]::bigint[])`],
    ['panel_worker', 'select panel.sweep()'],
    ['panel_worker', `select panel.show_process('worker', 1)`],
    ['panel_courier', `select panel.lock_pool('pool-x')`],
    ['panel_courier', 'select panel.sweep_deliveries()'],
    ['panel_courier', `select panel.show_process('courier', 1)`],
    ['panel_api', `select panel.show_process('api', 1)`],
  ]
  for (const [role, statement] of allowed) {
    await t.resolves(as(role, statement), `${role}: ${statement}`)
  }
  const refused: [Role, string][] = [
    ['panel_api', `select panel.lock_pool('pool-x')`],
    ['panel_api', `select panel.unlock_lanes('{0}')`],
    ['panel_courier', `select panel.unlock_lanes('{0}')`],
    ['panel_courier', `select panel.start_operation(gen_random_uuid(), '{}')`],
    ['panel_courier', 'select panel.sweep()'],
    ['panel_api', 'select panel.sweep_deliveries()'],
    ...roles.flatMap(role =>
      ['api', 'worker', 'courier', 'owner', 'x', '']
        .filter(name => `panel_${name}` !== role)
        .map((name): [Role, string] => [role, `select panel.show_process('${name}', 1)`]),
    ),
    ['panel_api', `set role panel_worker`],
    ['panel_courier', `select set_config('role', 'panel_worker', false)`],
    ['panel_api', 'select panel.acting_role()'],
  ]
  for (const [role, statement] of refused) {
    await t.rejects(as(role, statement), { code: '42501' }, `${role}: ${statement}`)
  }
})

t.test('a courier cannot keep the jobs of a dead worker from the next one', async t => {
  await using dead = await connect(connection(databaseUrl, 'panel_worker'))
  await dead.query(`select panel.lock_pool('pool-of-worker')`)
  const isAlive = async (queue: string, id: string) => {
    const { rows } = await pool.query('select panel.is_alive($1, $2) as alive', [queue, id])
    return rows[0].alive as boolean
  }
  t.ok(await isAlive('worker_queue', 'pool-of-worker'))
  await dead.end()
  await as('panel_courier', `select panel.lock_pool('pool-of-worker')`)
  await until(async () => !(await isAlive('worker_queue', 'pool-of-worker')))
  t.ok(await isAlive('courier_queue', 'pool-of-worker'))
  t.ok(await isAlive('pool', 'pool-of-worker'), 'doctor looks at the jobs of both')
})

t.test('a database is closed by a superuser, and left as it is by others', async t => {
  t.notOk(await areLocksOpen(pool))
  await pool.query(
    'grant execute on function pg_advisory_lock(bigint), pg_advisory_unlock(bigint) to public',
  )
  t.ok(await areLocksOpen(pool))
  await as('panel_worker', 'select pg_advisory_lock(1), pg_advisory_unlock(1)')
  // A managed server: the migrator may create roles and is no superuser.
  await migrate(databaseUrl)
  await using owner = await connect(connection(databaseUrl, 'panel_owner'))
  await closeWhereAllowed(owner)
  t.ok(await areLocksOpen(owner))
  t.equal((await call('POST', '/api/v1/accounts/alice/suspend')).status, 200, 'and it works so')
  const { pathname } = new URL(databaseUrl)
  await using superuser = await connect({
    connectionString: address(pathname.slice(1), 'postgres'),
  })
  await closeWhereAllowed(superuser)
  t.notOk(await areLocksOpen(owner))
  await pool.query(closeLockFunctions)
  t.notOk(await areLocksOpen(owner), 'twice is once')
  await migrate(databaseUrl)
  t.equal((await call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
})
