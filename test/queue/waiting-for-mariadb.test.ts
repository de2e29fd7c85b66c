import t from 'tap'
import { database } from '../support/database.ts'

// A suspension does not wait for a MariaDB that is down: what has not reached it is made up for by
// whatever operation comes next.

t.test('work that waits for MariaDB is not taken for done by the next operation', async t => {
  const { pool } = await database(t, 'panel_owned')
  await pool.query(`
    with package as (
      insert into panel.packages (name, seller_id)
      select 'starter', id from panel.sellers
      returning id, seller_id),
    account as (
      insert into panel.accounts (
        username, email, desired, state, package_id, seller_id, password_hash, uid, is_applied)
      select 'alice', 'site@example.com', 'active', 'active', p.id, p.seller_id, '$6$salt$hash',
        20001, true
      from package p
      returning id),
    owned as (
      insert into panel.databases (account_id, name, desired)
      select id, 'alice_shop', 'present' from account),
    website as (
      insert into panel.sites (account_id, domain, desired)
      select id, 'alice.example', 'present' from account)
    insert into panel.database_users (account_id, name, hash, desired, is_set)
    select id, 'alice_shop', '*' || repeat('A', 40), 'present', false from account`)

  /** Executes an operation as the worker does; returns whether the machine was known to agree. */
  const execute = async (name: string, subject: string, params: object): Promise<boolean> => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into panel.operations (name, account_id, username, state, params)
       select $1, id, 'alice', 'queued', $2 from panel.accounts
       returning id`,
      [name, params],
    )
    const { rows: started } = await pool.query<{ epoch: number; seen: { wasApplied: boolean } }>(
      `select s.epoch, panel.write_desired_${subject}(s.id) as seen
       from panel.start_operation($1, panel.find_${subject}($1)) s`,
      [rows[0]!.id],
    )
    const { epoch, seen } = started[0]!
    const change = { state: 'suspended', warnings: [], changed_at: new Date() }
    await pool.query(
      `select panel.complete_account(f.id, $3)
       from panel.finish_operation($1, $2, 200, '{}', null, '{}', '{}') f (id)`,
      [rows[0]!.id, epoch, change],
    )
    await pool.query('select pg_advisory_unlock_all()')
    return seen.wasApplied
  }

  t.ok(await execute('account/suspend', 'account', { desired: 'suspended' }))
  const { rows } = await pool.query(`
    select u.is_set, a.apply_due_at is not null as is_due
    from panel.accounts a join panel.database_users u on u.account_id = a.id`)
  t.strictSame(rows, [{ is_set: false, is_due: true }])
  const params = { site_id: '1', domain: 'alice.example', settings: { https_only: true } }
  t.notOk(await execute('site/set', 'site', params), 'it looks after all of the account')
})
