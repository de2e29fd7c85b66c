import t from 'tap'
import { type Known, requireKnownWork } from '../../src/install/update/rollback-target.ts'
import { operationNames } from '../../src/model/operations/operation-names.ts'
import { desiredStates } from '../../src/model/operations/desired-states.ts'
import { openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

const { pool, call, startWorker } = await openPanel(t, { hasWorker: false })
const known: Known = { operations: Object.keys(operationNames), desired: desiredStates }
const asked = () => requireKnownWork(pool, '0.9.0', known)

t.test('all that rows may want is named', async t => {
  const { rows } = await pool.query<{ name: string; states: string[] }>(`
    select c.relname as name, array_agg(distinct m[1] order by m[1]) as states
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'desired'
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'c'
      and c.relname <> 'accounts' and a.attnum = all (k.conkey)
    -- Its checks are a function's.
    cross join regexp_matches(case c.relname
      when 'accounts' then substring(pg_get_functiondef('panel_checks.is_account'::regproc)
        from 'desired in \\(([^)]*)\\)')
      else pg_get_constraintdef(k.oid) end, $$'([a-z]+)'$$, 'g') as m
    where c.relnamespace = 'panel'::regnamespace and c.relkind = 'r'
    group by c.relname`)
  const found = Object.fromEntries(rows.map(({ name, states }) => [name, states]))
  const sorted = Object.entries(desiredStates).map(([name, all]) => [name, all.toSorted()])
  t.strictSame(found, Object.fromEntries(sorted))
})

t.test('work unknown to the previous release blocks a rollback until it is finished', async t => {
  t.equal(await asked(), undefined)
  await pool.query(`
    create table panel.next_things (id bigint, desired text);
    insert into panel.next_things values (7, 'present'), (8, 'reserved')`)
  await t.rejects(asked(), {
    code: 'busy',
    message: /does not support .*: next_things 8 \(reserved\)\./,
  })
  await pool.query(`update panel.next_things set desired = 'present'`)
  t.match(
    await asked(),
    /leaves them as they are: next_things 7 \(present\), next_things 8 \(present\)$/,
  )
  const { accounts: _, ...without } = desiredStates
  const older = { ...known, desired: { ...without, accounts: ['terminated'] } }
  await call('PUT', '/api/v1/packages/starter', { body: {} })
  await pool.query(`
    insert into panel.accounts (seller_id, package_id, username, email, password_hash, state,
      is_applied)
    select s.id, p.id, 'alice', 'a@example.com', '$6$x', 'active', true
    from panel.sellers s, panel.packages p where s.is_own limit 1`)
  await t.rejects(requireKnownWork(pool, '0.9.0', older), { message: /accounts \d+ \(active\)/ })
})

t.test('an operation that it does not know keeps it away until it has ended', async t => {
  const older = { ...known, operations: [] }
  const suspended = call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  const unfinished = `select from panel.operations where state = 'queued'`
  await until(async () => (await pool.query(unfinished)).rowCount === 1)
  await t.rejects(requireKnownWork(pool, '0.9.0', older), {
    message: /account\/suspend alice \(queued\)/,
  })
  await t.resolves(requireKnownWork(pool, '0.9.0', known))
  await startWorker()
  await suspended
  await t.resolves(requireKnownWork(pool, '0.9.0', older))
})
