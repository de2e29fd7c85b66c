import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { higher, loadRows, makeDump } from '../../src/install/update/dump.ts'
import { restoreDump } from '../../src/install/update/restore.ts'
import { migrate } from '../../src/migrate.ts'
import { openPanel } from '../support/panel.ts'

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
     from panel.sellers s, panel.packages p where s.is_own and p.name = 'starter'`,
    [username],
  )
const tables = `
  select format('%s %s', a.username, a.state) as value from panel.accounts a
  union all select name || ' ' || (revoked_at is null) from panel.tokens order by 1`

t.test('a dump brings back just the rows that were', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  await panel.call('PUT', '/api/v1/packages/larger', { body: {} })
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

t.test('a dump that would fill the disk leaves nothing of itself', async t => {
  const folder = join(dumps, 'first')
  const before = readdirSync(dumps)
  const made = readFileSync(join(folder, 'description.json'), 'utf8')
  const words = { code: 'unavailable', message: /would fill the disk of .*: free some space/ }
  await t.rejects(makeDump(databaseUrl, folder, Infinity), words)
  // Makes it fail, at any step.
  await pool.query('create table panel.not_ours (id integer)')
  await t.rejects(makeDump(databaseUrl, folder), { message: /permission denied/ })
  await pool.query('drop table panel.not_ours')
  t.strictSame(readdirSync(dumps), before)
  t.equal(readFileSync(join(folder, 'description.json'), 'utf8'), made, 'the one before stays')
})

t.test('one of an earlier moment gives back nothing that was taken since', async t => {
  await pool.query(`
    insert into panel.tokens (operator_id, name, hash, credential_epoch)
    select id, 'lost', sha256('lost'), credential_epoch from panel.operators where name = 'admin'`)
  const folder = join(dumps, 'second')
  await makeDump(databaseUrl, folder)
  await pool.query(`
    update panel.tokens set revoked_at = now() where name = 'lost';
    update panel.accounts set state = 'terminated', desired = 'terminated' where username = 'bob';
    update panel.accounts set sign_on_epoch = 7, password_hash = '$6$new' where username = 'alice';
    update panel.operators set credential_epoch = 5, password_hash = '$argon2id$new'
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
  t.match(words, /Suspended, because they are no longer on the server: bob/)
  t.match(words, /no longer known to the panel: dave/)
  t.strictSame(
    await column(`select name as value from panel.tokens where revoked_at is not null`),
    ['lost'],
  )
  t.strictSame(
    await column(`
      select username || ' ' || desired || ' ' || coalesce(suspended_by, 'none') as value
      from panel.accounts where state in ('active', 'suspended') order by 1`),
    ['alice active none', 'bob suspended administrator'],
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
      from panel.operators where name = 'admin'`),
    ['5 $argon2id$new'],
  )
  t.strictSame(await column('select last_value::int as value from panel.uids'), [highest])
  t.strictSame(await column('select paused_since is not null as value from panel.server'), [true])
})

const uidOf = async (username: string) =>
  (
    await column<number>(`
      select uid as value from panel.accounts
      where username = '${username}' and state <> 'terminated'`)
  )[0]

t.test('a restriction made since stays, and is named', async t => {
  for (const username of ['erin', 'finn', 'gina', 'hugo', 'iris', 'jack']) await add(username)
  const key = (name: string) => `ssh-ed25519 ${name.repeat(8)}`
  await pool.query(
    `insert into panel.sftp_keys (account_id, key, comment, desired)
     select a.id, k, '', 'present' from panel.accounts a, unnest($1::text[]) k
     where a.username = 'erin'`,
    [[key('kept'), key('gone'), key('again')]],
  )
  await pool.query(`
    update panel.accounts
    set state = 'suspended', desired = 'suspended', suspended_by = 'administrator',
      suspend_reason = 'of then', suspended_at = '2026-01-01Z' where username = 'gina';
    with d as (
      insert into panel.databases (account_id, name, desired)
      select id, 'erin_' || n, 'present'
      from panel.accounts, unnest(array['one', 'two']) n where username = 'erin'
      returning id),
    u as (
      insert into panel.database_users (account_id, name, hash, is_set, desired)
      select id, 'erin_' || n, '*' || repeat('0', 40), true, 'present'
      from panel.accounts, unnest(array['kept', 'gone', 'less', 'again']) n where username = 'erin'
      returning id)
    insert into panel.database_grants (user_id, database_id, rights)
    select u.id, d.id, 'all' from u, d;
    with s as (
      insert into panel.sellers (max_accounts, disk_mb, max_sites, memory_mb, cpu_percent)
      values (9, 9, 9, 9, 9) returning id)
    insert into panel.operators (seller_id, name, role, email, password_hash)
    select id, 'rita', 'reseller', 'rita@example.com', '$argon2id$x' from s;
    insert into panel.sign_in_ranges (range) values ('192.0.2.0/24')`)
  const folder = join(dumps, 'third')
  await makeDump(databaseUrl, folder)
  await pool.query(`
    update panel.accounts
    set state = 'suspended', desired = 'suspended', suspended_by = 'reseller',
      suspend_reason = 'unpaid', suspended_at = '2026-02-02Z' where username = 'erin';
    update panel.accounts set state = 'terminating', desired = 'terminated' where username = 'jack';
    update panel.accounts
    set state = 'active', desired = 'active', suspended_by = null, suspend_reason = null,
      suspended_at = null where username = 'gina';
    update panel.accounts set package_id = (select id from panel.packages where name = 'larger')
    where username = 'hugo';
    update panel.accounts set state = 'terminated', desired = 'terminated'
    where username = 'iris';
    delete from panel.sftp_keys where key like '%gone%' or key like '%again%';
    delete from panel.database_users where name in ('erin_gone', 'erin_again');
    update panel.database_grants set rights = 'read'
    where user_id = (select id from panel.database_users where name = 'erin_less');
    delete from panel.database_grants g using panel.databases d
    where d.id = g.database_id and d.name = 'erin_two';
    insert into panel.database_users (account_id, name, hash, is_set, desired)
    select id, 'erin_again', '*' || repeat('1', 40), true, 'present'
    from panel.accounts where username = 'erin';
    insert into panel.database_grants (user_id, database_id, rights)
    select u.id, d.id, 'all' from panel.database_users u, panel.databases d
    where (u.name, d.name) = ('erin_again', 'erin_one');
    update panel.sellers set suspended_at = '2026-02-03Z' where not is_own;
    delete from panel.sign_in_ranges;
    insert into panel.sign_in_ranges (range) values ('198.51.100.0/24');
    update panel.server set demands_second_factor = true`)
  await pool.query(
    `insert into panel.sftp_keys (account_id, key, comment, desired)
     select id, $1, '', 'present' from panel.accounts where username = 'erin'`,
    [key('again')],
  )
  // Another account by the name of one that is gone.
  await add('iris')
  const onMachine = new Map<string, number | undefined>()
  for (const username of ['alice', 'erin', 'finn', 'gina', 'hugo', 'iris', 'jack']) {
    onMachine.set(username, await uidOf(username))
  }
  const words = await restoreDump(databaseUrl, {
    ...{ folder, highestUid: 0 },
    findUser: name => onMachine.get(name),
  })
  t.strictSame(words.split('\n').slice(1), [
    'Suspended, because they are no longer on the server: bob, iris',
    'On the server, but no longer known to the panel: iris',
    'Suspended since, and still suspended: erin, jack',
    'Suspended again, although unsuspended since: gina',
    'Back on their earlier package: hugo',
    'Resellers suspended since, and still suspended: rita',
    'SFTP keys removed since stay removed for: erin',
    'Database rights withdrawn since stay withdrawn for: ' +
      'erin_again, erin_gone, erin_kept, erin_less',
    'Administrators can still sign in only from: 198.51.100.0/24',
  ])
  t.strictSame(
    await column(`
      select concat_ws(' ', username, desired, state, suspended_by, suspend_reason,
        (suspended_at at time zone 'UTC')::date) as value
      from panel.accounts where username in ('erin', 'finn', 'gina', 'hugo') order by 1`),
    [
      'erin suspended suspended reseller unpaid 2026-02-02',
      'finn active active',
      'gina suspended suspended administrator of then 2026-01-01',
      'hugo active active',
    ],
  )
  t.strictSame(
    await column(`
      select concat_ws(' ', desired, state, suspended_by, suspend_reason) as value
      from panel.accounts where username = 'jack'`),
    [
      'suspended suspended administrator ' +
        'It was being terminated when an earlier database was restored',
    ],
  )
  t.strictSame(
    await column(`
      select (suspended_at at time zone 'UTC')::date::text as value
      from panel.sellers where not is_own`),
    ['2026-02-03'],
  )
  t.strictSame(await column('select key as value from panel.sftp_keys order by id'), [
    key('kept'),
    key('again'),
  ])
  t.strictSame(
    await column(`
      select concat_ws(' ', u.name, left(u.hash, 2), d.name, g.rights) as value
      from panel.database_users u
      left join panel.database_grants g on g.user_id = u.id
      left join panel.databases d on d.id = g.database_id order by 1`),
    ['erin_again *1 erin_one all', 'erin_kept *0 erin_one all', 'erin_less *0 erin_one read'],
  )
  t.strictSame(await column('select range::text as value from panel.sign_in_ranges'), [
    '198.51.100.0/24',
  ])
  t.strictSame(await column('select demands_second_factor as value from panel.server'), [true])
})

t.test('where nothing was restricted since, what was restricted then is so again', async t => {
  const folder = join(dumps, 'fourth')
  await makeDump(databaseUrl, folder)
  await pool.query(`
    delete from panel.sign_in_ranges;
    update panel.server set demands_second_factor = false`)
  const rows = new Map<string, number | undefined>()
  for (const username of ['alice', 'bob', 'erin', 'finn', 'gina', 'hugo', 'iris', 'jack']) {
    rows.set(username, await uidOf(username))
  }
  const words = await restoreDump(databaseUrl, {
    ...{ folder, highestUid: 0 },
    findUser: name => rows.get(name),
  })
  t.equal(
    words,
    'Webhooks, certificates and metering stay off until panel ctl dr-restore --release',
  )
  t.strictSame(await column('select range::text as value from panel.sign_in_ranges'), [
    '198.51.100.0/24',
  ])
  t.strictSame(await column('select demands_second_factor as value from panel.server'), [true])
})

t.test('a sequence goes on from the higher of its two values', t => {
  const of = (last_value: string) => [{ name: 'uids', last_value }]
  t.strictSame(higher(of('9'), of('10')), of('10'))
  t.strictSame(higher(of('10'), of('9')), of('10'))
  t.strictSame(higher(of('1'), [{ name: 'of_a_newer_release', last_value: '5' }]), of('1'))
  t.end()
})
