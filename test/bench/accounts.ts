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
    `insert into panel.disk_usage (account_id, bytes, measured_at)
       select id, id * 1000000, now() from panel.accounts
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

/**
 * Gives all accounts a past: a website each, twelve months, some operations of the last day, and a
 * history.
 */
export async function addPast(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(
    `insert into panel.sites (account_id, domain)
     select id, username || '.example.net' from panel.accounts`,
  )
  await client.query(
    `insert into panel.bandwidth_usage
     select id, date_trunc('month', now() at time zone 'UTC') - n * interval '1 month',
       id * 2000000, now()
     from panel.accounts, generate_series(1, 11) as n`,
  )
  await client.query(
    `insert into panel.operations (id, state, name, account_id, username, status, body,
       created_at, finished_at)
     select gen_random_uuid(), 'done', 'account/apply', id, username, 200, '{}',
       now() - n * interval '1 hour', now() - n * interval '1 hour'
     from panel.accounts, generate_series(1, 3) as n`,
  )
  await client.query(
    `insert into panel.history (at, channel, who, role, action, about, account_id)
     select now() - n * interval '1 day', 'api', 'admin, token billing', 'administrator',
       'account/suspend', username, id
     from panel.accounts, generate_series(2, 31) as n`,
  )
  await client.query('vacuum analyze')
  await client.end()
}
