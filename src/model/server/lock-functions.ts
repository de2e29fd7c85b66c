import { type Db, oneFirst } from '../../db.ts'

// PostgreSQL lets every role take every advisory lock. Ours say which process changes the machine
// for an account, and which pools of workers live. So a panel's database takes the functions away
// from all roles, and functions of the panel take only the locks of a role's own work. PostgreSQL's
// belong to the superuser, whom a managed server does not hand out: `panel ctl doctor` says so.

// Of the database that it is asked in; each has rights of its own.
const lockFunctions = `
  select p.oid, p.proowner, p.proacl
  from pg_catalog.pg_proc p
  where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^pg_(try_)?advisory_'`

/** Statements of a superuser: only the panel's own functions take advisory locks from then on. */
export const closeLockFunctions = `
do $$
declare
  v_function regprocedure;
begin
  for v_function in select f.oid from (${lockFunctions}) f loop
    execute format('revoke execute on function %s from public', v_function);
    execute format('grant execute on function %s to panel_owner', v_function);
  end loop;
end;
$$;
`

/** Whether every role can take every advisory lock in this database. */
export async function areLocksOpen(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ is_open: boolean }>(
    `select exists (
       select from (${lockFunctions}) f,
         aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
       where a.grantee = 0) as is_open`,
  )
  return rows[0]!.is_open
}

/** Closes them where they are open and the connection is a superuser's; else leaves them. */
export async function closeWhereAllowed(db: Db): Promise<void> {
  const isSuperuser = await oneFirst<boolean>(db)`
    select rolsuper from pg_roles where rolname = current_user`
  if (isSuperuser && (await areLocksOpen(db))) await db.query(closeLockFunctions)
}
