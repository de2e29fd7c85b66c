import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { higher, loadRows, makeDump } from '../../src/install/update/dump.ts'
import { restoreDump } from '../../src/install/update/restore.ts'
import { migrate } from '../../src/migrate.ts'
import { openPanel } from '../panel.ts'

const panel = await openPanel(t, { hasWorker: false })
const { pool, databaseUrl } = panel
const dumps = join(t.testdir({}), 'dumps')
mkdirSync(dumps)
const column = async <T>(text: string): Promise<T[]> =>
  (await pool.query<{ value: T }>(text)).rows.map(({ value }) => value)
const add = (username: string) =>
  pool.query(
    `insert into panel.accounts (seller_id, package_id, username, email, password_hash, state,
       is_applied)
     select s.id, p.id, $1, 'a@example.com', '$6$x', 'active', true
     from panel.sellers s, panel.packages p where s.is_house and p.name = 'starter'`,
    [username],
  )
const tables = `
  select format('%s %s', a.username, a.state) as value from panel.accounts a
  union all select name || ' ' || (revoked_at is null) from panel.tokens order by 1`

t.test('a dump brings back just the rows that were', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  await add('alice')
  await add('bob')
  const before = await column(tables)
  await makeDump(databaseUrl, join(dumps, 'first'))
  await add('carol')
  await loadRows(databaseUrl, join(dumps, 'first'), [])
  await migrate(databaseUrl)
  t.strictSame(await column(tables), before)
  t.equal((await panel.call('GET', '/api/v1/accounts/alice')).status, 200, 'functions are there')
})

t.test('one of an earlier moment gives back nothing that was taken since', async t => {
  await pool.query(`
    insert into panel.tokens (owner_id, name, hash, credential_epoch)
    select id, 'lost', sha256('lost'), credential_epoch from panel.owners where name = 'admin'`)
  const folder = join(dumps, 'second')
  await makeDump(databaseUrl, folder)
  await pool.query(`
    update panel.tokens set revoked_at = now() where name = 'lost';
    update panel.accounts set state = 'terminated', wanted = 'terminated' where username = 'bob';
    update panel.accounts set sign_on_epoch = 7, password_hash = '$6$new' where username = 'alice';
    update panel.owners set credential_epoch = 5, password_hash = '$argon2id$new'
    where name = 'admin'`)
  await add('dave')
  const [highest = 0] = await column<number>('select last_value::int as value from panel.uids')
  const alice = (
    await column<number>(`
    select uid as value from panel.accounts where username = 'alice'`)
  )[0]
  const words = await restoreDump(databaseUrl, {
    ...{ folder, highestUid: 0 },
    findUser: name => (name === 'alice' ? alice : undefined),
  })
  t.match(words, /Suspended, as the machine has them no more: bob/)
  t.match(words, /no longer known to the panel: dave/)
  t.strictSame(
    await column(`select name as value from panel.tokens where revoked_at is not null`),
    ['lost'],
  )
  t.strictSame(
    await column(`
      select username || ' ' || wanted || ' ' || coalesce(suspended_by, 'nobody') as value
      from panel.accounts where state in ('active', 'suspended') order by 1`),
    ['alice active nobody', 'bob suspended administrator'],
  )
  t.strictSame(
    await column(`
      select sign_on_epoch || ' ' || password_hash as value
      from panel.accounts where username = 'alice'`),
    ['7 $6$new'],
  )
  t.strictSame(
    await column(`
      select credential_epoch || ' ' || password_hash as value
      from panel.owners where name = 'admin'`),
    ['5 $argon2id$new'],
  )
  t.strictSame(await column('select last_value::int as value from panel.uids'), [highest])
  t.strictSame(await column('select held_since is not null as value from panel.server'), [true])
})

t.test('a sequence goes on from the higher of its two values', t => {
  const of = (last_value: string) => [{ name: 'uids', last_value }]
  t.strictSame(higher(of('9'), of('10')), of('10'))
  t.strictSame(higher(of('10'), of('9')), of('10'))
  t.strictSame(higher(of('1'), [{ name: 'of_a_newer_release', last_value: '5' }]), of('1'))
  t.end()
})
