import { addOwner } from '../../src/model/owners.ts'
import { setPlan } from '../../src/model/resellers.ts'
import type { Panel } from '../panel.ts'
import { createToken } from '../../src/model/tokens.ts'
import { generous } from '../reseller.ts'

// A panel with some life in it.

const names = `hanna forum42 bella max9 lisa-shop tobias weaver bakery atelier kiosk
  harbour nordlicht vinyl pottery chess gardening archive bookshop recipes velo`.split(/\s+/)

/** Packages, accounts, usage of a year, and jobs that ended in every way. */
export async function stage(panel: Panel): Promise<void> {
  const { pool, call } = panel
  const packages = { starter: 1_024, business: 10_240, agency: 51_200 }
  for (const [index, [name, disk_mb]] of Object.entries(packages).entries()) {
    const body = { disk_mb, max_sites: 3 + 7 * index, memory_mb: 512 << index }
    await call('PUT', `/api/v1/packages/${name}`, { body })
  }
  const sold = ['starter', 'business', 'starter', 'agency']
  for (const [index, username] of ['alice', ...names].entries()) {
    const body = {
      username,
      password: 'correct horse battery',
      email: `${username}@example.com`,
      package: sold[index % sold.length],
      domain: `${username}.example`,
    }
    await call('POST', '/api/v1/accounts', { body })
  }
  for (const username of ['forum42', 'kiosk']) {
    const body = { reason: 'Invoice 4711 is overdue' }
    await call('POST', `/api/v1/accounts/${username}/suspend`, { body })
  }
  await call('PUT', '/api/v1/accounts/bella/package', { body: { package: 'business' } })
  await addOwner(pool, {
    ...{ name: 'rita', role: 'reseller', email: 'rita@example.com' },
    password: 'a password of it',
  })
  await setPlan(pool, 'rita', { ...generous, max_accounts: 50, disk_mb: 200_000, max_sites: 200 })
  const { token } = await createToken(pool, { owner: 'rita', name: 'billing' })
  await call('PUT', '/api/v1/packages/basic', { token, body: { max_sites: 2 } })
  for (const username of ['rob', 'greta', 'fleur']) {
    const body = {
      ...{ username, password: 'correct horse battery', email: `${username}@example.com` },
      ...{ package: 'basic', domain: `${username}.example` },
    }
    await call('POST', '/api/v1/accounts', { token, body })
  }
  await pool.query(`
    with added as (
      insert into panel.sites (account_id, domain)
      select id, 'shop.alice.example' from panel.accounts where username = 'alice'
      returning id, domain)
    insert into panel.site_names (name, site_id)
    select name, id from added, unnest(array[domain, 'www.' || domain]) name`)
  await pool.query(`
    insert into panel.disk_usage (account_id, bytes, measured_at)
    select id, (id * 7919 % 97) / 100.0 * 1073741824, now() - interval '2 minutes'
    from panel.accounts`)
  await pool.query(`
    insert into panel.bandwidth_usage (account_id, month, bytes, measured_at)
    select a.id, m, (2 + sin(extract(month from m)::float8) + extract(epoch from m) / 4e8) * 1e9,
      now()
    from panel.accounts a, generate_series(
      date_trunc('month', now() at time zone 'UTC') - interval '11 months',
      date_trunc('month', now() at time zone 'UTC'), '1 month') m`)
  await pool.query(`
    insert into panel.disk_months (account_id, month, bytes)
    select account_id, month, bytes / 9 from panel.bandwidth_usage`)
  await pool.query('update panel.server set issues_certificates = true')
  await pool.query(`
    update panel.sites
    set ssl = case id % 4 when 0 then 'none' when 1 then 'pending' else 'issued' end`)
  await pool.query(`update panel.accounts set created_at = now() - id * interval '5 days 7 hours'`)
  await pool.query(`update panel.sites set ssl = 'issued' where domain = 'alice.example'`)
  await pool.query(`update panel.sites set ssl = 'none' where domain = 'shop.alice.example'`)
  await pool.query(`
    insert into panel.certificates (
      site_id, installed_names, issuer, expires_at, renew_at, due_at, error)
    select id, array[domain, 'www.' || domain], 'Let''s Encrypt R13', now() + interval '74 days',
      now() + interval '44 days', now() + interval '44 days', null
    from panel.sites where ssl = 'issued'
    union all
    select id, null, null, null, null, now() + interval '4 minutes',
      domain || ' points to 198.51.100.7, which is not this server'
    from panel.sites where ssl = 'none'`)
}
