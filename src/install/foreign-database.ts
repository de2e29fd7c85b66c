/** Queries a database of this machine's PostgreSQL, as its superuser. */
type Ask = (database: string, statement: string) => Promise<string>

/**
 * Returns why the panel cannot have the database of this name: it exists and belongs to something
 * else, which would lose access to it. The panel's own database belongs to its role, or has been
 * migrated once.
 */
export async function whyForeign(ask: Ask, name = 'panel'): Promise<string | undefined> {
  const owner = await ask(
    'postgres',
    `select rolname from pg_database d join pg_roles r on r.oid = datdba where datname = '${name}'`,
  )
  if (['', 'panel_owner'].includes(owner.trim())) return undefined
  const found = await ask(name, `select to_regclass('panel.migrations')`)
  if (found.trim() !== '') return undefined
  return `PostgreSQL already has a database ${name}, owned by ${owner.trim()}, that is not the \
panel's: rename that database, or use a separate server for the panel. It was not changed`
}
