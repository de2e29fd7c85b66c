import { addOwner } from '../../src/model/owners.ts'
import { setPlan } from '../../src/model/resellers.ts'
import type { Panel } from '../panel.ts'
import { generous } from '../reseller.ts'
import { stageHooks } from './stage-hooks.ts'

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
    update panel.sites
    set ssl = case id % 4 when 0 then 'none' when 1 then 'pending' else 'issued' end`)
  await pool.query(`update panel.accounts set created_at = now() - id * interval '5 days 7 hours'`)
  await stageHooks(pool)
}
