import pg from 'pg'

/**
 * Adds accounts `many1`, `many2` and so on with some usage, like the existing one. They are only
 * rows, unknown to the machine.
 */
export async function addAccounts(connectionString: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(
    `insert into panel.accounts (seller_id, package_id, username, email, password_hash, state)
     select seller_id, package_id, 'many' || n, 'many@example.com', password_hash, 'active'
     from panel.accounts, generate_series(1, ${count}) as n`,
  )
  await client.query(
    `insert into panel.disk_usage select id, id * 1000000, now() from panel.accounts
     on conflict do nothing`,
  )
  await client.query(
    `insert into panel.bandwidth_usage
     select id, date_trunc('month', now() at time zone 'UTC'), id * 2000000, now()
     from panel.accounts
     on conflict do nothing`,
  )
  await client.query('vacuum analyze')
  await client.end()
}
