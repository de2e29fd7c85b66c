import type { Pool } from '../../src/db.ts'

/**
 * Adds accounts with a website, a year of usage, jobs and a history each, of the server's own
 * seller. They are rows only, and the machine does not have them.
 */
export async function addManyAccounts(pool: Pool, count: number): Promise<void> {
  const added = `(select id, username from panel.accounts where username like 'many%') many`
  await pool.query(
    `insert into panel.accounts (seller_id, package_id, username, email, password_hash, state)
     select a.seller_id, a.package_id, 'many' || n, 'many@example.com', a.password_hash, 'active'
     from panel.accounts a, generate_series(1, $1::int) n where a.username = 'alice'`,
    [count],
  )
  const statements = [
    `insert into panel.disk_usage (account_id, bytes, measured_at)
     select id, (id * 7919 % 97) * 10000000, now() from ${added}`,
    `insert into panel.bandwidth_usage (account_id, month, bytes, measured_at)
     select id, date_trunc('month', now() at time zone 'UTC') - n * interval '1 month',
       id * 2000000, now()
     from ${added}, generate_series(0, 11) n`,
    `insert into panel.sites (account_id, domain) select id, username || '.example.net'
     from ${added}`,
    `insert into panel.site_names (name, site_id)
     select name, s.id
     from panel.sites s, unnest(array[s.domain, 'www.' || s.domain]) name
     where s.domain like 'many%.example.net'`,
    `insert into panel.operations (id, state, name, account_id, username, status, body,
       created_at, finished_at)
     select gen_random_uuid(), 'done', 'account/apply', id, username, 200, '{}',
       now() - n * interval '1 hour', now() - n * interval '1 hour'
     from ${added}, generate_series(1, 3) n`,
    `insert into panel.history (at, channel, who, role, action, about, account_id)
     select now() - n * interval '1 day', 'api', 'admin, token billing', 'administrator',
       'account/suspend', username, id
     from ${added}, generate_series(2, 31) n`,
  ]
  for (const statement of statements) await pool.query(statement)
  await pool.query('vacuum analyze')
}
