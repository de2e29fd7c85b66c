import { join } from 'node:path'
import t from 'tap'
import { makeDump } from '../../src/install/update/dump.ts'
import { restoreDump } from '../../src/install/update/restore.ts'
import { openPanel } from '../support/panel.ts'

const panel = await openPanel(t, { hasWorker: false })
const { pool, databaseUrl } = panel
const column = async <T>(text: string): Promise<T[]> =>
  (await pool.query<{ value: T }>(text)).rows.map(({ value }) => value)
const add = (username: string) =>
  pool.query(
    `insert into panel.accounts (seller_id, package_id, username, email, password_hash, state,
       is_applied)
     select s.id, p.id, $1, 'a@example.com', '$6$x', 'active', true
     from panel.sellers s, panel.packages p where s.is_own and p.name = 'starter'`,
    [username],
  )

t.test('second factors of all stay as they are now, and spent codes spent', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  await add('kate')
  await add('liam')
  const setUp = async (whose: string, secret: string) => {
    await pool.query(`
      with who as (${whose})
      insert into panel.second_factors (operator_id, account_id, secret, confirmed_at, last_step)
      select operator_id, account_id, sha256('${secret}'), now(), 1 from who;
      with who as (${whose})
      insert into panel.recovery_codes (operator_id, account_id, hash)
      select operator_id, account_id, sha256(('${secret}' || n)::bytea)
      from who, generate_series(1, 2) n`)
  }
  const account = (name: string) => `
    select null::bigint as operator_id, id as account_id
    from panel.accounts where username = '${name}'`
  const admin = `
    select id as operator_id, null::bigint as account_id from panel.operators where name = 'admin'`
  await setUp(account('kate'), 'of then')
  await setUp(admin, 'of admin')
  const folder = join(t.testdir({}), 'dump')
  await makeDump(databaseUrl, folder)
  await pool.query(`
    delete from panel.second_factors
    where account_id = (select id from panel.accounts where username = 'kate')`)
  await setUp(account('kate'), 'of kate')
  await setUp(account('liam'), 'of liam')
  await pool.query(`
    update panel.accounts set sign_on_epoch = sign_on_epoch + 1 where username in ('kate', 'liam');
    update panel.recovery_codes set used_at = now() where hash = sha256('of admin1')`)
  await restoreDump(databaseUrl, { folder, highestUid: 0, findUser: () => undefined })
  t.strictSame(
    await column(`
      select coalesce(o.name, a.username) || case f.secret
        when sha256('of admin') then ' of admin' when sha256('of kate') then ' of kate'
        when sha256('of liam') then ' of liam' else ' of then' end as value
      from panel.second_factors f
      left join panel.operators o on o.id = f.operator_id
      left join panel.accounts a on a.id = f.account_id order by 1`),
    ['admin of admin', 'kate of kate', 'liam of liam'],
  )
  t.strictSame(
    await column(`
      select case hash
        when sha256('of admin1') then 'admin 1' when sha256('of admin2') then 'admin 2'
        else 'of an account' end || (used_at is not null) as value
      from panel.recovery_codes order by 1`),
    ['admin 1true', 'admin 2false', ...Array<string>(4).fill('of an accountfalse')],
  )
})
