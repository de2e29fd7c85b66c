import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type LimitName, limits, recordKey } from '../src/model/sellers/package-limits.ts'
import { alice } from './support/panel.ts'
import { limitFields } from './support/web/limit-fields.ts'
import { database } from './support/database.ts'

// A package limit is a row of src/model/sellers/package-limits.ts and a column; the rest derives.

const root = join(import.meta.dirname, '..')

t.test('the columns have the defaults and the ranges of the rows', async t => {
  const { pool } = await database(t)
  const { rows: columns } = await pool.query<{ name: string; initial: string; check: string }>(
    `select a.attname as name, pg_get_expr(d.adbin, d.adrelid) as initial,
       coalesce(pg_get_constraintdef(c.oid), '') as check
     from pg_attribute a
     join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     left join pg_constraint c on c.conrelid = a.attrelid and c.conkey = array[a.attnum]
       and c.contype = 'c'
     where a.attrelid = 'panel.packages'::regclass`,
  )
  for (const { name, initial, range, list, choices } of limits) {
    const column = columns.find(one => one.name === name)
    const [min, max] = range ?? []
    const values = choices?.map(one => `'${one}'::text`).join(', ')
    const check = values
      ? `CHECK ((${name} = ANY (ARRAY[${values}])))`
      : range
        ? `CHECK (((${name} >= ${min}) AND (${name} <= ${max})))`
        : ''
    const text = list ? "'{}'::text[]" : choices ? `'${initial}'::text` : `${initial}`
    t.match(column, { initial: text, check: list ? 'array_to_string(php_allowed' : check }, name)
  }
})

t.test('records of accounts are made within the statement that asks', async t => {
  const { pool } = await database(t)
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
    'explain (verbose) select record from panel.account_record(1)',
  )
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  for (const name of limits.map(limit => recordKey(limit.name))) t.match(plan, `'${name}'`)
  t.notMatch(plan, /account_record\(|package_record\(|Function Scan/)
})

// The resource that enforces a limit reads it, and so do pages that show how much of it is used.
const pages = 'src/web/pages/'
const overviews = `${pages}(accounts|customer)/overview.(ts|eta) ${pages}customer/usage.eta`
const cron = 'src/model/cron-jobs/cron-(jobs|limits).ts'
const schedule = 'sql/functions/account-backups/.*.sql src/model/account-backups/lateness.ts'
const retention =
  'sql/functions/account-backups/find_prunable_repository.sql src/host/account-backups/restic.ts ' +
  `src/model/account-backups/retention.ts ${pages}account-backups/views.ts`
const readers: Record<LimitName, string> = {
  max_sites:
    `sql/functions/sites/add_site.sql src/model/sites/refused-names.ts ` +
    `${pages}.*/(sites|site-forms|add-remove)\\.(ts|eta)`,
  disk_mb:
    `src/host/accounts/quota.ts sql/functions/databases/record_database_sizes.sql ` +
    `src/host/databases/(dump-client|export).ts ${pages}databases/import(-file)?.ts ` +
    `src/model/(accounts/(account-list|usage)|server/concerns|notices/notice-kinds).ts ` +
    `${pages}accounts/list.eta`,
  memory_mb:
    `src/host/accounts/(cgroups|slice).ts src/host/(php/(fpm|pool)|mail/account-mail).ts ` +
    'src/model/sites/php-limits.ts',
  cpu_percent: 'src/host/accounts/(cgroups|slice).ts',
  sftp: `src/host/access/sftp.ts src/model/kinds/sftp-keys.ts ${pages}customer/s(ftp|ite).eta`,
  max_databases:
    `sql/functions/databases/(add_database(_user)?|recreate_databases).sql ` +
    `${pages}(databases/.*|accounts/databases).ts`,
  max_aliases: `sql/functions/sites/change_aliases.sql ${pages}sites/.*.ts`,
  database_connections: 'src/host/databases/converge.ts',
  php_allowed:
    'src/model/(sites/php-limits|server/php-versions).ts src/host/php/site-php.ts ' +
    `${pages}(packages/forms|sites/php(-extensions)?).ts`,
  php_execution_seconds:
    'src/host/php/pool.ts src/host/web/websites.ts src/model/sites/php-limits.ts',
  php_extensions: `src/model/sites/php-limits.ts ${pages}sites/(forms|php).ts`,
  max_cron_jobs: `sql/functions/cron-jobs/add_cron_job.sql ${cron} ${pages}cron/(forms|views).ts`,
  cron_interval_minutes: cron,
  cron_run_minutes: `src/host/cron-jobs/files.ts ${cron}`,
  mails_per_hour:
    'src/model/server/mail-queue.ts src/host/mail/account-mail.ts src/host/mail-hosting/.*.ts',
  max_mailboxes:
    'sql/functions/mail/max_mailboxes_of.sql src/model/mail/mailboxes.ts ' + `${pages}mail/.*.ts`,
  backups: schedule,
  keep_daily: retention,
  keep_weekly: retention,
  keep_monthly: retention,
  mail_catch_all:
    'src/host/mail-hosting/.*.ts src/model/mail/mail-domains.ts src/cli/mail/domain/set.ts ' +
    `${pages}mail/(domain-forms|views).ts`,
}

// A reseller's plan has columns of its own with the same names. Examples for people name a few.
const others = [
  `src/model/sellers/plan-limits.ts src/cli/reseller/set.ts ` +
    `${pages}(operators/.*.eta|overview.eta)`,
  'src/api/examples.ts src/start/announcement.ts src/cli/next-steps.ts billing/shared/Names.php',
].join(' ')

t.test('no other file names a limit', async t => {
  const files = globSync('{src,tasks,bin,billing,release,sql/functions}/**/*.{ts,eta,sql,php}', {
    cwd: root,
  })
  for (const { name } of limits) {
    const option = name.replaceAll('_', '-')
    // SFTP and backups are also resources: only the limit is a package's property, or an option.
    const named =
      name === 'sftp'
        ? /\b(p|package|limits|fields|one)\.sftp\b|\bp_sftp boolean|--sftp\b/
        : name === 'backups'
          ? /\b(p|package|limits|fields|one)\.backups\b|--backups\b/
          : new RegExp(`\\b(${name}|${recordKey(name)}|${option})\\b`)
    const allowed = `src/model/sellers/package-limits.ts ${readers[name]} ${overviews} ${others}`
    const isAllowed = new RegExp(`^(${allowed.split(' ').join('|')})$`)
    const naming = files.filter(file => named.test(readFileSync(join(root, file), 'utf8')))
    t.strictSame(
      naming.filter(file => !isAllowed.test(file)),
      [],
      name,
    )
  }
})

t.test('a row and a column make a limit', async t => {
  const copy = mkdtempSync(join(tmpdir(), 'panel-limit-'))
  t.teardown(() => rmSync(copy, { recursive: true, force: true }))
  const files = ['package.json', 'provisioning-openapi.yaml']
  for (const part of [...files, 'bin', 'src', 'sql', 'tasks', 'test', 'docs/reference']) {
    await cp(join(root, part), join(copy, part), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  const list = join(copy, 'src/model/sellers/package-limits.ts')
  const text = await readFile(list, 'utf8')
  const row = `mailboxes: { initial: 5, range: [0, 50], meaning: 'mailboxes at most',
    label: 'Mailboxes', column: { page: 'Mailboxes', cli: 'MAILBOXES' } },`
  await writeFile(
    list,
    text.replace(/^const rows = \{\n/m, found => found + row),
  )
  const migration = 'alter table panel.packages add column mailboxes integer not null default 5'
  await writeFile(join(copy, 'sql/migrations/9999-mailboxes.sql'), migration)
  const from = <Module>(file: string) => import(join(copy, file)) as Promise<Module>

  const { openPanel } = await from<typeof import('./support/panel.ts')>('test/support/panel.ts')
  const { migrate } = await from<typeof import('../src/migrate.ts')>('src/migrate.ts')
  const panel = await openPanel(t, { hasWorker: false })
  const { call, pool } = panel
  await migrate(panel.databaseUrl)

  await t.test('the API has every limit', async t => {
    const path = '/api/v1/packages/own'
    t.match(await call('PUT', path, {}), { status: 201, body: { mailboxes: 5 } })
    const set = await call('PUT', path, { body: { mailboxes: 7 } })
    t.match(set, { status: 200, body: { mailboxes: 7 } })
    const other = await call('PUT', path, { body: { disk_mb: 99, mailboxes: null } })
    t.match(other.body, { disk_mb: 99, mailboxes: 7 })
    const error = 'mailboxes must be a whole number from 0 to 50'
    t.match(await call('PUT', path, { body: { disk_mb: 98, mailboxes: 51 } }), {
      status: 400,
      body: { error },
    })
    t.match((await call('GET', path)).body, { disk_mb: 99, mailboxes: 7 })
    const { describe } = await from<typeof import('../src/api/openapi.ts')>('src/api/openapi.ts')
    t.match(JSON.stringify(describe()), /"Mailboxes at most; 5 for a new package"/)
  })

  await t.test('the command line has every limit', async t => {
    type Commands = typeof import('./support/cli/run-panel.ts')
    const { callPanel } = await from<Commands>('test/support/cli/run-panel.ts')
    const state = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: join(panel.root, '..') }
    const say = (...words: string[]) => callPanel(['package', ...words], state)
    t.match(await say('set', 'mine', '--mailboxes', '3'), { code: 0, stdout: /mailboxes +3\n/ })
    t.match(await say('set', 'mine', '--mailboxes', '51'), { code: 2, stderr: /--mailboxes must/ })
    t.match((await say('ls')).stdout, /NAME .* MAILBOXES/)
    const help = (await say('set', '--help')).stdout
    t.match(help, /--mailboxes COUNT +mailboxes at most\n/)
  })

  await t.test('the pages have every limit', async t => {
    const { signIn } = await from<typeof import('./support/web/signed-in.ts')>(
      'test/support/web/signed-in.ts',
    )
    const admin = await signIn(panel)
    t.match((await admin.get('/packages')).text, /<td data-label="Mailboxes"[^>]*>7</)
    const { text } = await admin.get('/packages/own')
    t.match(text, /Mailboxes/)
    t.match(text, /name="mailboxes"[^>]* value="7"/)
    t.match(text, '--mailboxes 7')
    await admin.submit('/packages/own', { ...limitFields, mailboxes: '8' })
    t.match((await call('GET', '/api/v1/packages/own')).body, { mailboxes: 8 })
  })

  await t.test('the machine has every limit', async t => {
    await call('POST', '/api/v1/accounts', {
      body: { ...alice, package: 'own' },
      headers: { prefer: 'wait=0' },
    })
    const { rows } = await pool.query(
      `select r.record, a.password_hash from panel.accounts a
       cross join panel.account_record(a.id) r`,
    )
    type Host = typeof import('../src/model/accounts/host-account.ts')
    const { toHostAccount } = await from<Host>('src/model/accounts/host-account.ts')
    const account = toHostAccount(rows[0].record, { passwordHash: rows[0].password_hash })
    t.match(account, { limits: { mailboxes: 8 } })
  })

  await t.test('the reference has every limit', async t => {
    type Pages = typeof import('../src/api/package-pages.ts')
    const { files, withLimits } = await from<Pages>('src/api/package-pages.ts')
    for (const file of files) {
      const before = readFileSync(join(root, file), 'utf8')
      const after = withLimits(before)
      t.match(after, /"name": "starter",\n +"mailboxes": 5,/, file)
      if (!before.includes('| `disk_mb`')) continue
      t.match(after, /\| `mailboxes` +\| integer \| mailboxes at most +\| 0 to 50 +\| 5 /)
    }
  })
})
