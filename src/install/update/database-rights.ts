import type pg from 'pg'
import { anyFirst, run } from '../../db.ts'

// The rights of database users, which a rollback does not give back.

type DatabaseRights = Awaited<ReturnType<typeof readDatabaseRights>>

/** Returns the database users and their rights. */
export async function readDatabaseRights(client: pg.Client) {
  return {
    // By name, as a user that was dropped and created again has another id.
    users: await anyFirst<object>(client)`
      select jsonb_build_object('account_id', account_id, 'name', name, 'hash', hash,
        'is_set', is_set)
      from panel.database_users where desired = 'present'`,
    grants: await anyFirst<object>(client)`
      select jsonb_build_object('user_name', u.name, 'database', d.name, 'rights', g.rights)
      from panel.database_grants g
      join panel.database_users u on u.id = g.user_id
      join panel.databases d on d.id = g.database_id
      where u.desired = 'present' and d.desired = 'present'`,
  }
}

/** Withdraws rights that were withdrawn since; returns the database users. */
export async function keepDatabaseRights(
  client: pg.Client,
  before: DatabaseRights,
): Promise<string[]> {
  const users = JSON.stringify(before.users)
  const gone = await anyFirst<string>(client)`
    delete from panel.database_users u
    where (u.account_id, u.name) not in (
      select account_id, name from jsonb_to_recordset(${users}) as b (account_id bigint, name text))
    returning u.name`
  await run(client)`
    update panel.database_users u
    set hash = b.hash, is_set = b.is_set
    from jsonb_to_recordset(${users})
      as b (account_id bigint, name text, hash text, is_set boolean)
    where b.account_id = u.account_id and b.name = u.name`
  const grants = JSON.stringify(before.grants)
  const lost = await anyFirst<string>(client)`
    delete from panel.database_grants g
    using panel.database_users u, panel.databases d
    where u.id = g.user_id and d.id = g.database_id and (u.name, d.name) not in (
      select user_name, database
      from jsonb_to_recordset(${grants}) as b (user_name text, database text))
    returning u.name`
  const reduced = await anyFirst<string>(client)`
    update panel.database_grants g
    set rights = 'read'
    from panel.database_users u, panel.databases d,
      jsonb_to_recordset(${grants}) as b (user_name text, database text, rights text)
    where u.id = g.user_id and d.id = g.database_id and (u.name, d.name) = (b.user_name, b.database)
      and (g.rights, b.rights) = ('all', 'read')
    returning u.name`
  return [...gone, ...lost, ...reduced]
}
