import pg from 'pg'
import { closeLockFunctions } from '../../../src/model/server/lock-functions.ts'
import { until } from '../../support/until.ts'
import { showProcess, type WholePanel } from '../../support/cli/whole-panel.ts'
import { statements } from './breaking.ts'
import type { Staged } from './staged.ts'

// Faults in the database, made by a superuser.

export function brokenRows({ pool, postgres, processes }: WholePanel): Staged[] {
  const run = (text: string) => pool.query(text)
  const sql = statements(pool)
  // Functions in the schema that comes first in the search path take the place of ours.
  const pretend = (functions: string) => async () => {
    await run(`create schema pretended; grant usage on schema pretended to public; ${functions}`)
    await run('alter database panel set search_path = pretended, pg_catalog, public')
    return () => run('alter database panel reset search_path; drop schema pretended cascade')
  }
  const certificate = (columns: string, values: string, ssl = 'issued') =>
    sql(
      `insert into panel.certificates (site_id, due_at ${columns})
       select id, null ${values} from panel.sites where domain = 'alice.example';
       update panel.sites set ssl = '${ssl}' where domain = 'alice.example';
       update panel.server set issues_certificates = true`,
      `delete from panel.certificates; update panel.sites set ssl = 'none';
       update panel.server set issues_certificates = false`,
    )
  const served = ', installed_names, issuer, renew_at, expires_at'
  const servedValues = (days: number) =>
    `, '{alice.example}', 'T1', now(), now() + interval '${days} days'`
  const unsafe = async () => {
    const switched = async (statement: string, value: string) => {
      await run(statement)
      await run('select pg_reload_conf()')
      await until(async () => (await run('show fsync')).rows[0].fsync === value)
    }
    await switched('alter system set fsync = off', 'off')
    return () => switched('alter system reset fsync', 'on')
  }
  const processGone = (name: 'worker' | 'courier') => async () => {
    await processes[name].close()
    return async () => {
      processes[name] = await showProcess(postgres.url, name)
    }
  }

  return [
    {
      check: 'websites/htaccess',
      state: 'warning',
      words:
        /^alice\.example: 3 rules in .* not applied: 2 Deny, 1 Header in \/x\/\.htaccess, read 5 /,
      broken: sql(
        `insert into panel.site_rules (site_id, found, read_at)
         select id, '{"count": 3, "fileCount": 1, "isWhole": true,
             "files": [{"path": "/x/.htaccess", "counts": {"Header": 1, "Deny": 2}}]}',
           now() - interval '5 minutes'
         from panel.sites where domain = 'alice.example'`,
        'delete from panel.site_rules',
      ),
    },
    {
      check: 'names/users',
      state: 'warning',
      words: /users or groups of distribution packages: docker$/,
      broken: sql(
        `insert into panel.accounts
           (seller_id, package_id, username, email, password_hash, desired, state, is_applied)
         select seller_id, package_id, 'docker', email, password_hash, desired, state, is_applied
         from panel.accounts where username = 'alice'`,
        `delete from panel.accounts where username = 'docker'`,
      ),
    },
    {
      check: 'names/websites',
      state: 'warning',
      words: /shop\.bob\.example of alice below bob\.example of bob/,
      broken: sql(
        `insert into panel.sites (account_id, domain)
         select id, 'shop.bob.example' from panel.accounts where username = 'alice'`,
        `delete from panel.sites where domain = 'shop.bob.example'`,
      ),
    },
    {
      check: 'database/migrations',
      state: 'failure',
      words: /have not run: 0015-history.sql/,
      broken: sql(
        `create table kept as select * from panel.migrations;
         delete from panel.migrations where name like '0015%'`,
        `insert into panel.migrations select * from kept where name like '0015%'; drop table kept`,
      ),
    },
    {
      check: 'database/migrations',
      state: 'warning',
      words: /newer release: 9999-x.sql/,
      broken: sql(
        `insert into panel.migrations values ('9999-x.sql', '')`,
        `delete from panel.migrations where name = '9999-x.sql'`,
      ),
    },
    {
      check: 'database/migrations',
      state: 'failure',
      words: /edited after they ran: 0001-checks.sql/,
      broken: sql(
        `update panel.migrations set sha256 = 'x' || sha256 where name = '0001-checks.sql'`,
        `update panel.migrations set sha256 = substr(sha256, 2) where name = '0001-checks.sql'`,
      ),
    },
    {
      check: 'database/functions',
      state: 'failure',
      words: /of another release/,
      broken: sql(
        `update panel.installed_functions set sha256 = 'x' || sha256`,
        'update panel.installed_functions set sha256 = substr(sha256, 2)',
      ),
    },
    {
      check: 'database/locks',
      state: 'warning',
      words: /Any role of the database can take the locks/,
      broken: sql(
        'grant execute on function pg_advisory_lock(bigint) to public',
        closeLockFunctions,
      ),
    },
    {
      check: 'database/durability',
      state: 'failure',
      words: /fsync is off/,
      broken: unsafe,
    },
    {
      check: 'database/connections',
      state: 'failure',
      words: /\d+ of \d+ connections are in use/,
      async broken() {
        const { rows } = await run(
          `select floor(current_setting('max_connections')::int * 0.95)::int - count(*)::int as free
           from pg_stat_activity where backend_type = 'client backend'`,
        )
        const { host, user, database } = pool.options
        const clients = Array.from({ length: rows[0].free }, () => {
          return new pg.Client({ host: host!, user: user!, database: database! })
        })
        await Promise.all(clients.map(client => client.connect()))
        return () => Promise.all(clients.map(client => client.end()))
      },
    },
    {
      check: 'database/transactions',
      state: 'warning',
      words: /1 transaction open for over 5 minutes/,
      broken: pretend(
        `create view pretended.pg_stat_activity as
         select *, null as kept from (
           select pid, application_name, datname, backend_type,
             now() - interval '6 min' as xact_start
           from pg_catalog.pg_stat_activity where backend_type = 'client backend' limit 1) a;
         grant select on pretended.pg_stat_activity to public`,
      ),
    },
    {
      check: 'versions/postgresql',
      state: 'failure',
      words: /PostgreSQL is 14\.9/,
      broken: pretend(
        `create function pretended.current_setting(text) returns text language sql
         as 'select ''14.9'''`,
      ),
    },
    {
      check: 'clock/database',
      state: 'failure',
      words: /clock is 60 minutes off/,
      broken: pretend(
        `create function pretended.clock_timestamp() returns timestamptz language sql
         as 'select pg_catalog.clock_timestamp() + interval ''1 hour'''`,
      ),
    },
    {
      check: 'clock/records',
      state: 'warning',
      words: /120 minutes in the future/,
      broken: sql(
        `update panel.events set created_at = created_at + interval '2 hours'
         where id = (select max(id) from panel.events)`,
        `update panel.events set created_at = created_at - interval '2 hours'
         where id = (select max(id) from panel.events)`,
      ),
    },
    {
      check: 'processes/worker',
      state: 'failure',
      words: /worker is down: accounts cannot be changed/,
      broken: processGone('worker'),
    },
    {
      check: 'processes/courier',
      state: 'failure',
      words: /courier is down/,
      broken: processGone('courier'),
    },
    {
      check: 'certificates/expiry',
      state: 'warning',
      words: /Certificate of alice\.example: expires in 10 days and has not been renewed/,
      broken: certificate(served, servedValues(10)),
    },
    {
      check: 'certificates/expiry',
      state: 'failure',
      words: /Certificate of alice\.example: has expired/,
      broken: certificate(served, servedValues(-1)),
    },
    {
      check: 'certificates/failed',
      state: 'warning',
      words: /alice\.example: it points elsewhere/,
      broken: certificate(', error', `, 'it points elsewhere'`, 'failed'),
    },
    {
      check: 'certificates/overdue',
      state: 'warning',
      words: /are overdue for .*alice\.example/,
      async broken() {
        const mend = await certificate('', '')()
        await run(`update panel.certificates set due_at = now() - interval '1 hour'`)
        return mend
      },
    },
    {
      check: 'certificates/present',
      state: 'failure',
      words: /Certificates are missing: alice\.example/,
      broken: certificate(served, servedValues(80)),
    },
    {
      check: 'dns/websites',
      state: 'warning',
      words: /bob\.example has no address/,
      async broken() {
        const mend = await certificate(served, servedValues(80))()
        await run(`update panel.certificates set installed_names = '{bob.example}'`)
        return mend
      },
    },
    {
      check: 'drift/not-applied',
      state: 'warning',
      words: /alice: the last change is not applied yet/,
      broken: sql(
        `update panel.accounts set is_applied = false where username = 'alice'`,
        `update panel.accounts set is_applied = true where username = 'alice'`,
      ),
    },
    {
      check: 'drift/warnings',
      state: 'warning',
      words: /no quota: the disk limit is not enforced \(2 accounts\)/,
      broken: sql(
        `update panel.accounts set warnings = jsonb_build_array(jsonb_build_object(
           'code', 'disk_not_limited', 'sentence', 'no quota: the disk limit is not enforced'))`,
        `update panel.accounts set warnings = '[]'`,
      ),
    },
  ]
}
