import t from 'tap'
import { emit, event } from '../../src/model/events/events.ts'
import { list } from '../../src/model/jobs/jobs.ts'
import { database } from '../support/database.ts'

// Jobs are found by the name that lists show with them, whatever has become of its account.

t.test('hook scripts and deliveries are found by the name in their event', async t => {
  const { pool } = await database(t, 'panel_owned')
  await pool.query(`
    insert into panel.webhooks (url, secret)
    values ('https://billing.example.com/', repeat('x', 64)::bytea)`)
  const found = async () => (await list(pool, { account: 'alice', limit: 20 })).map(job => job.task)
  await pool.query(`
    with package as (
      insert into panel.packages (name, seller_id)
      select 'starter', id from panel.sellers
      returning id, seller_id),
    account as (
      insert into panel.accounts (
        username, email, desired, state, package_id, seller_id, password_hash, uid, is_applied,
        terminated_at)
      select 'alice', 'site@example.com', 'terminated', 'terminated', p.id, p.seller_id,
        '$6$salt$hash', 20001, true, now()
      from package p
      returning id)
    select panel.emit('account.deleted', id, null, '{"data":{"username":"alice"}}') from account`)
  t.strictSame((await found()).sort(), ['hook/run', 'webhook/deliver'])
  await pool.query('select panel.delete_package(seller_id, name) from panel.packages')
  t.strictSame((await found()).sort(), ['hook/run', 'webhook/deliver'])

  const reported = event(
    'mail.mailbox_created',
    { username: 'alice', mailbox: 'info' },
    { server: 'panel.test', time: new Date() },
  )
  await emit(pool, reported)
  t.equal((await found()).length, 4, 'and those of root, without an account')
})
