import pg from 'pg'
import t from 'tap'
import { openPool, type Role } from '../src/db.ts'
import { migrate } from '../src/migrate.ts'
import { database } from './support/database.ts'

t.test('a migrated database is left as it is', async t => {
  const { url, pool } = await database(t)
  const before = await migrations(pool)
  await migrate(url)
  t.strictSame(await migrations(pool), before)
  t.ok(before.length >= 4)
})

t.test('two migrators at once take turns', async t => {
  const { url, pool } = await database(t)
  await pool.query('drop schema panel cascade')
  await Promise.all([migrate(url), migrate(url)])
  t.ok((await migrations(pool)).length >= 4)
})

t.test('a migration that was edited after it had run is refused', async t => {
  const { url, pool } = await database(t)
  await pool.query(`update panel.migrations set sha256 = 'other' where name like '0001%'`)
  await t.rejects(migrate(url), /0001-checks\.sql was edited/)
})

t.test('functions are created again when a release brings others', async t => {
  const { url, pool } = await database(t)
  await pool.query(
    'create function panel.of_an_older_release() returns int language sql as $$ select 1 $$',
  )
  await pool.query('drop function panel.emit')
  await pool.query(`update panel.installed_functions set sha256 = 'other'`)
  await migrate(url)
  const { rows } = await pool.query(
    `select proname from pg_proc where proname in ('emit', 'of_an_older_release')`,
  )
  t.strictSame(rows, [{ proname: 'emit' }])
})

t.test('a user who may create roles can bring the database of a managed server up', async t => {
  const { url, pool } = await database(t)
  await pool.query('drop schema panel, worker_queue, courier_queue cascade')
  // It belongs to another role than the one that migrates.
  await pool.query(`do $$ begin
    execute format('alter database %I owner to postgres', current_database());
  end $$`)
  const other = new URL(url)
  other.username = 'postgres'
  await migrate(other.href)
  const api = openPool(other.href, 'panel_api', 1)
  t.teardown(() => api.end())
  const { rows } = await api.query('select current_user, session_user')
  t.strictSame(rows, [{ current_user: 'panel_api', session_user: 'postgres' }])
})

t.test('no role can do what its process does not', async t => {
  const { url } = await database(t)
  const refused: [Role, string][] = [
    ['panel_api', 'select password_hash from panel.accounts'],
    ['panel_api', 'select password_hash from panel.operators'],
    ['panel_api', 'update panel.accounts set uid = 0'],
    ['panel_api', 'insert into panel.accounts default values'],
    ['panel_api', `update panel.operations set params = '{}'`],
    ['panel_api', 'select params from panel.operations'],
    ['panel_api', 'select secret from panel.webhooks'],
    ['panel_api', 'update panel.webhooks set url = secret::text'],
    ['panel_api', `update panel.deliveries set state = 'failed'`],
    ['panel_api', 'select courier_queue.add_job(null)'],
    ['panel_worker', 'select panel.redeliver(gen_random_uuid())'],
    ['panel_api', `select worker_queue.add_job('account/create', '{}')`],
    ['panel_api', 'select * from worker_queue._private_jobs'],
    ['panel_api', `select panel.enqueue_operation(gen_random_uuid())`],
    ['panel_api', `select panel.start_operation(gen_random_uuid(), '{}')`],
    ['panel_api', `select panel.write_desired_account(gen_random_uuid())`],
    ['panel_api', `select panel.write_desired_site(gen_random_uuid())`],
    ['panel_api', `select panel.write_desired_sftp_key(gen_random_uuid())`],
    ['panel_api', `insert into panel.sftp_keys default values`],
    ['panel_api', 'select hash from panel.adminer_sessions'],
    ['panel_api', 'update panel.adminer_sessions set used_at = null'],
    ['panel_api', 'select panel.sweep_open_databases()'],
    ['panel_worker', 'select * from panel.adminer_sessions'],
    ['panel_worker', `select * from panel.find_adminer_session('x')`],
    ['panel_worker', `select panel.use_adminer_ticket('x')`],
    ['panel_worker', `update panel.sftp_keys set key = ''`],
    ['panel_api', `select panel.find_account(gen_random_uuid())`],
    ['panel_api', `select panel.complete_account(gen_random_uuid(), '{}')`],
    ['panel_api', `select panel.revert_desired_state(gen_random_uuid(), true)`],
    ['panel_api', `select panel.begin_internal(0, 'server/apply')`],
    ['panel_api', `insert into panel.operation_names values ('account/x', 'account', '{}', '{}')`],
    ['panel_api', `update panel.operation_names set params = '{uid}'`],
    ['panel_api', `update panel.operations set caller_role = 'administrator'`],
    ['panel_api', 'select before from panel.operations'],
    ['panel_worker', `update panel.operation_names set channels = '{api}'`],
    ['panel_api', `select panel.emit('account.created', 1, null, '{}')`],
    ['panel_api', 'select panel.finish_operation(null, 1, 200, null, null, null, null)'],
    ['panel_api', 'create table panel.mine ()'],
    ['panel_api', 'select panel.start_hook_run(1)'],
    ['panel_api', 'select panel.add_hook_run(1, 1)'],
    ['panel_api', `update panel.script_runs set leader = '{"pid":1}'`],
    ['panel_api', `update panel.second_factors set secret = ''`],
    ['panel_api', 'insert into panel.second_factors default values'],
    ['panel_api', 'delete from panel.recovery_codes'],
    ['panel_api', `insert into panel.sessions (hash, operator_id) values ('', 1)`],
    ['panel_api', 'select hash from panel.sessions'],
    ['panel_api', 'select sign_in_hash from panel.accounts'],
    ['panel_api', 'delete from panel.sign_in_attempts'],
    ['panel_worker', `select panel.change_password('admin', '', null)`],
    ['panel_worker', `select panel.begin_sign_in('admin', null, null)`],
    ['panel_api', 'select panel.raise_credential_epoch(1)'],
    ['panel_api', 'delete from panel.sign_in_ranges'],
    ['panel_worker', 'select * from panel.second_factors'],
    ['panel_worker', 'select panel.disable_second_factor(1, null, null)'],
    ['panel_courier', 'select * from panel.recovery_codes'],
    ['panel_courier', 'insert into panel.processes default values'],
    ['panel_courier', 'select panel.start_hook_run(1)'],
    ['panel_worker', `update panel.hook_runs set state = 'queued'`],
    ['panel_api', 'select key from panel.acme_account'],
    ['panel_api', 'select panel.start_order(1)'],
    ['panel_api', `select panel.record_installed(1, 1, null, null, null, null, null, null)`],
    ['panel_courier', 'select chain from panel.certificates'],
    ['panel_courier', `select panel.begin_certificate(1, 'certificate/install')`],
    ['panel_courier', `select panel.record_request(1, 1, 'x')`],
    ['panel_courier', `select panel.record_installed(1, 1, null, null, null, null, null, null)`],
    ['panel_worker', 'select key from panel.acme_account'],
    ['panel_worker', `update panel.certificates set chain = 'x'`],
    ['panel_courier', 'select * from panel.accounts'],
    ['panel_courier', 'select * from worker_queue._private_jobs'],
    ['panel_courier', 'update panel.webhooks set url = url'],
    ['panel_courier', 'update panel.deliveries set attempts = 0'],
    ['panel_courier', 'delete from panel.attempts'],
    ['panel_courier', `select panel.emit('account.created', 1, null, '{}')`],
    ['panel_courier', `select panel.start_operation(gen_random_uuid(), '{}')`],
    ['panel_worker', 'select password_hash from panel.operators'],
    ['panel_worker', 'select hash from panel.tokens'],
    ['panel_worker', `select panel.authenticate_call('x', null, 1)`],
    ['panel_worker', 'select secret from panel.webhooks'],
    ['panel_worker', 'delete from panel.operations'],
    ['panel_worker', 'select panel.sweep_deliveries()'],
    ['panel_worker', 'select * from courier_queue._private_jobs'],
  ]
  const pools = new Map<Role, pg.Pool>()
  for (const [role, statement] of refused) {
    const pool = pools.get(role) ?? openPool(url, role, 1)
    pools.set(role, pool)
    await t.rejects(pool.query(statement), { code: '42501' }, `${role}: ${statement}`)
  }
  await Promise.all([...pools.values()].map(pool => pool.end()))
})

t.test('functions are closed, and those with own rights go by their own schema', async t => {
  const { pool } = await database(t)
  const { rows } = await pool.query(
    `select proname from pg_proc
     where pronamespace = 'panel'::regnamespace
       and (has_function_privilege('public', oid, 'execute')
         or prosecdef and 'search_path=panel, pg_temp' <> all (coalesce(proconfig, '{}')))`,
  )
  t.strictSame(rows, [])
})

t.test('no function compiles a statement, for any caller', async t => {
  const { pool } = await database(t)
  const { rows } = await pool.query(
    `select proname from pg_proc
     where pronamespace = 'panel'::regnamespace
       and ('enable_seqscan=off' = any (proconfig)) <> ('jit=off' = any (proconfig))`,
  )
  t.strictSame(rows, [])
})

t.test('the API can write the secret of a webhook, and not read it', async t => {
  const { url } = await database(t)
  const api = openPool(url, 'panel_api', 1)
  t.teardown(() => api.end())
  const secret = Buffer.alloc(60)
  const { rows } = await api.query(
    `insert into panel.webhooks (url, secret) values ('https://example.com/', $1) returning id`,
    [secret],
  )
  await api.query('update panel.webhooks set secret = $2 where id = $1', [rows[0].id, secret])
  await t.rejects(api.query('select * from panel.webhooks'), { code: '42501' })
  await t.rejects(api.query('update panel.webhooks set url = url returning secret'), {
    code: '42501',
  })
})

async function migrations(pool: pg.Pool) {
  const { rows } = await pool.query('select * from panel.migrations order by name')
  return rows
}
