import { type Db, oneFirst } from '../../db.ts'

// PostgreSQL lets every role take every advisory lock. The panel's locks show which process changes
// the machine for an account, and which worker pools are alive. So a panel's database revokes the
// functions from all roles, and functions of the panel take only the locks for a role's own work.
// PostgreSQL's functions belong to the superuser, which a managed server does not provide: `panel
// ctl doctor` reports that.

// Lists the functions of the current database; each database has its own rights.
const lockFunctions = `
  select p.oid, p.proowner, p.proacl
  from pg_catalog.pg_proc p
  where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^pg_(try_)?advisory_'`

/** Statements of a superuser, after which only the panel's own functions take advisory locks. */
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

/** Returns whether every role can take every advisory lock in this database. */
export async function areLocksOpen(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ is_open: boolean }>(
    `select exists (
       select from (${lockFunctions}) f,
         aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
       where a.grantee = 0) as is_open`,
  )
  return rows[0]!.is_open
}

/** Closes them if they are open and the connection is a superuser's; otherwise changes nothing. */
export async function closeWhereAllowed(db: Db): Promise<void> {
  const isSuperuser = await oneFirst<boolean>(db)`
    select rolsuper from pg_roles where rolname = current_user`
  if (isSuperuser && (await areLocksOpen(db))) await db.query(closeLockFunctions)
}
