import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { setPlan } from '../../src/model/sellers/resellers.ts'
import { askForSnapshot, readSnapshot } from '../../src/model/server/server-snapshot.ts'
import type { Panel } from '../support/panel.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { generous } from '../support/reseller.ts'
import { resourceTests } from '../resource-tests.ts'
import { cookiesOf } from '../support/web/signed-in.ts'
import { operatorsPassword } from './paths.ts'
import { stageFactors } from './stage-factors.ts'
import { stageHooks } from './stage-hooks.ts'
import { stageLogs } from './stage-logs.ts'
import { stageMailQueue } from './stage-mail.ts'
import { until } from '../support/until.ts'

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
  const packageName = ['starter', 'business', 'starter', 'agency']
  for (const [index, username] of ['alice', ...names].entries()) {
    const body = {
      username,
      password: 'correct horse battery',
      email: `${username}@example.com`,
      package: packageName[index % packageName.length],
      domain: `${username}.example`,
    }
    await call('POST', '/api/v1/accounts', { body })
  }
  for (const username of ['forum42', 'kiosk']) {
    const body = { reason: 'Invoice 4711 is overdue' }
    await call('POST', `/api/v1/accounts/${username}/suspend`, { body })
  }
  await call('PUT', '/api/v1/accounts/bella/package', { body: { package: 'business' } })
  for (const [role, names] of [
    ['reseller', ['rita', 'rosa']],
    ['administrator', ['boss', 'paula', 'otto']],
  ] as const) {
    for (const name of names) {
      const email = `${name}@example.com`
      await addOperator(pool, { name, role, email, password: operatorsPassword })
    }
  }
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
    with added as (
      insert into panel.databases (account_id, name, desired, bytes, measured_at)
      select id, username || '_shop', 'present', 48234496, now()
      from panel.accounts where username in ('alice', 'rob')
      returning id, account_id, name),
    users as (
      insert into panel.database_users (account_id, name, hash, is_set, desired)
      select account_id, u, '*' || repeat('0', 40), true, 'present'
      from added, unnest(array['alice_shop', 'alice_report']) u
      where added.name = 'alice_shop'
      returning id, name)
    insert into panel.database_grants (user_id, database_id, rights)
    select u.id, d.id, case u.name when 'alice_shop' then 'all' else 'read' end
    from added d, users u where d.name = 'alice_shop'`)
  await stageFactors(pool)
  for (const name of ['admin', 'rita', 'alice']) await cookiesOf(panel, name)
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
  await pool.query(`
    update panel.disk_usage d set bytes = p.disk_mb * 1048576::bigint / 100 * 97
    from panel.accounts a join panel.packages p on p.id = a.package_id
    where a.id = d.account_id and a.username in ('bella', 'lisa-shop', 'pottery', 'chess')`)
  await pool.query(`update panel.accounts set is_applied = false where username = 'max9'`)
  // An hour of other people's work, and a webhook whose receiver was away for a while.
  await pool.query(`
    insert into panel.operations (
      name, state, status, body, username, caller_words, created_at, started_at, finished_at, error)
    select
      (array['account/suspend', 'account/create', 'account/set-password'])[1 + n % 3],
      case when n % 71 = 0 then 'failed' else 'done' end,
      case when n % 71 <> 0 then 200 end, case when n % 71 <> 0 then '{}'::bytea end,
      'hanna', 'WHMCS', at, at, at + interval '96 ms',
      case when n % 71 = 0 then 'useradd: disk full' end
    from (
      select n, now() - interval '55 minutes' * power((n * 7919 % 901) / 901.0, 0.8)
        - interval '90 seconds' as at
      from generate_series(1, 900) n) spread`)
  await pool.query(`
    insert into panel.webhooks (id, url, secret, events)
    values (
      '0b1c3c1e-7d5c-4a3e-9b1a-0123456789ab', 'https://billing.example.com/in', sha512('x'), null);
    insert into panel.deliveries (
      webhook_id, event_id, state, attempts, queue_job_id, created_at, finished_at)
    select '0b1c3c1e-7d5c-4a3e-9b1a-0123456789ab', (select min(id) from panel.events),
      case when n % 23 = 0 or n between 130 and 150 then 'failed' else 'delivered' end, 1, 1,
      now() - n * interval '3 minutes 40 seconds', now()
    from generate_series(1, 390) n`)
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
  await pool.query(`
    insert into panel.site_rules (site_id, found, read_at)
    select id, '{"count": 12, "fileCount": 3, "isWhole": true, "files": [
        {"path": "/.htaccess", "counts": {"RewriteRule": 3, "Header": 6}},
        {"path": "/wp-content/uploads/.htaccess", "counts": {"Require": 2}},
        {"path": "/wp-content/plugins/akismet/.htaccess", "counts": {"Deny": 1}}]}',
      now() - interval '12 minutes'
    from panel.sites where domain = 'alice.example'`)
  for (const { stage } of resourceTests) await stage?.(pool)
  await stageHooks(pool)
  await stageLogs(pool)
  const hooks = join(panel.root, 'etc/panel/hooks/account.created.d')
  await mkdir(hooks, { recursive: true })
  await writeFile(join(hooks, '10-notify-accounting'), '#!/bin/sh\n', { mode: 0o755 })
  await writeFile(join(hooks, '20-notes.txt'), 'no program', { mode: 0o644 })
  await askForSnapshot(pool)
  await until(async () => (await readSnapshot(pool)).taken_at !== null)
  await stageMailQueue(pool)
}
