import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import { installationDir } from './config.ts'
import { connect, connection, type Db, openPool } from './db.ts'
import { PanelError } from './errors.ts'
import { generatedFunctions } from './model/operations/generated-functions.ts'
import { operationNames } from './model/operations/operation-names.ts'
import { queueLogger } from './queue/logger.ts'

// Brings a database to this release's schema: roles, migrations (history: once each, never edited),
// the two queues, functions (source: always as in the files). One migrator at a time; the next run
// continues an interrupted one.

const sqlDir = join(installationDir, 'sql')

// Any number that nothing else locks; accounts use positive ones.
const migratorLock = -1

/** The queues, each owned by the role whose process runs its jobs. */
const queues = [
  { schema: 'worker_queue', role: 'panel_worker' },
  { schema: 'courier_queue', role: 'panel_courier' },
] as const

/**
 * Migrates the database at `url`; its user must be `panel_owner` or one who may create roles.
 *
 * @throws if a migration was edited after it had run, or cannot run
 */
export async function migrate(url: string): Promise<void> {
  await using client = await connect(connection(url, 'panel_owner', null))
  await client.query('select pg_advisory_lock($1)', [migratorLock])
  await ensureRoles(client)
  await client.query('set role panel_owner')
  await ensureSchema(client)
  // Before the migrations, which install functions that refer to its tables.
  for (const queue of queues) await ensureQueue(client, url, queue)
  await inTransaction(client, async () => {
    await runPending(client)
    await installFunctions(client)
  })
}

/**
 * Empties a panel's database and runs only these migrations, without the functions: rows of a
 * backup fit that schema. `migrate` then brings it to this release's.
 *
 * @throws {PanelError} `invalid`, if this release does not know one of them
 */
export async function migrateToBackup(url: string, names: readonly Migration[]): Promise<void> {
  await requireKnown(names)
  await using client = await connect(connection(url, 'panel_owner', null))
  await client.query('select pg_advisory_lock($1)', [migratorLock])
  await ensureRoles(client)
  await client.query('set role panel_owner')
  const schemas = ['panel', ...queues.map(({ schema }) => schema)]
  await client.query(`drop schema if exists ${schemas.join(', ')} cascade`)
  await ensureSchema(client)
  await inTransaction(client, () => runPending(client, new Set(names.map(({ name }) => name))))
}

/** A migration as `panel.migrations` records it. */
export type Migration = { name: string; sha256: string }

/**
 * Refuses a schema with a migration that this release does not have.
 *
 * @throws {PanelError} `invalid`
 */
export async function requireKnown(migrations: readonly Migration[]): Promise<void> {
  const known = new Map((await sqlFiles('migrations')).map(({ name, sha256 }) => [name, sha256]))
  const unknown = migrations.find(({ name, sha256 }) => known.get(name) !== sha256)
  if (unknown === undefined) return
  const words = `It is from another release, whose schema this one does not know (${unknown.name})`
  throw new PanelError('invalid', words)
}

// Roles belong to the cluster, not to the database: several panels' databases may share them.
async function ensureRoles(client: pg.Client): Promise<void> {
  await client.query(`
    do $$
    declare
      v_role text;
    begin
      if not exists (select from pg_roles where rolname = 'panel_owner') then
        create role panel_owner login createrole;
      end if;
      if not pg_has_role(current_user, 'panel_owner', 'usage') then
        execute format('grant panel_owner to %I', current_user);
      end if;
      foreach v_role in array array['panel_api', 'panel_worker', 'panel_courier'] loop
        if not exists (select from pg_roles where rolname = v_role) then
          execute format('create role %I login', v_role);
        end if;
        if not pg_has_role('panel_owner', v_role, 'usage') then
          execute format('grant %I to panel_owner', v_role);
        end if;
      end loop;
      -- With grant option, because it is granted on while a queue makes its tables.
      if not has_database_privilege(
        'panel_owner', current_database(), 'create with grant option') then
        execute format(
          'grant create on database %I to panel_owner with grant option', current_database());
      end if;
    end;
    $$`)
}

async function ensureSchema(client: pg.Client): Promise<void> {
  await client.query(`
    create schema if not exists panel;
    revoke all on schema panel from public;
    grant usage on schema panel to panel_api, panel_worker, panel_courier;
    create table if not exists panel.migrations (
      name        text        primary key,
      sha256      text        not null,
      applied_at  timestamptz not null default now()
    )`)
}

async function runPending(client: pg.Client, only?: ReadonlySet<string>): Promise<void> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from panel.migrations',
  )
  const applied = new Map(rows.map(row => [row.name, row.sha256]))
  for (const { name, text, sha256 } of await sqlFiles('migrations')) {
    const known = applied.get(name)
    if (known === sha256 || only?.has(name) === false) continue
    if (known !== undefined) throw new Error(`Migration ${name} was edited after it had run`)
    await client.query(text)
    await client.query('insert into panel.migrations (name, sha256) values ($1, $2)', [
      name,
      sha256,
    ])
  }
}

// The queue library makes its own tables. They must belong to the role that works on them, and that
// role may make a schema only during this call.
async function ensureQueue(
  client: pg.Client,
  url: string,
  { schema, role }: (typeof queues)[number],
): Promise<void> {
  const database = client.escapeIdentifier(client.database!)
  await client.query(`grant create on database ${database} to ${role}`)
  // A worker that starts meanwhile finds older workers by this name and ends their work.
  const address = new URL(url)
  address.searchParams.set('application_name', 'panel_migrator')
  const pool = openPool(address.href, role, 1)
  try {
    await runMigrations({ pgPool: pool, schema, logger: queueLogger })
  } finally {
    await pool.end()
    await client.query(`revoke create on database ${database} from ${role}`)
  }
}

// Installs the functions, with the names of operations that they use. Dropped and created again in
// one transaction, so that a changed signature is no special case and functions that a release has
// dropped disappear. Nothing in the schema depends on a function.
async function installFunctions(client: pg.Client): Promise<void> {
  const files = await sqlFiles('functions')
  const sha256 = sumOf(files)
  await client.query(`
    create table if not exists panel.installed_functions (
      is_single  boolean primary key default true check (is_single),
      sha256     text    not null
    )`)
  const { rows } = await client.query<{ sha256: string }>(
    'select sha256 from panel.installed_functions',
  )
  if (rows[0]?.sha256 === sha256) return
  const { rows: old } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'panel'`,
  )
  for (const { signature } of old) await client.query(`drop function ${signature}`)
  await client.query('set local search_path = panel, pg_temp')
  for (const text of [generatedFunctions, ...files.map(({ text }) => text)])
    await client.query(text)
  await client.query(closeFunctions)
  await client.query('delete from panel.operation_names')
  await client.query(
    `insert into panel.operation_names (name, lane, params, channels, lifts, is_repeatable)
     select name, lane, params, channels, coalesce(lifts, false), coalesce("isRepeatable", false)
     from jsonb_to_recordset($1)
       as n (name text, lane text, params text[], channels text[], lifts boolean,
         "isRepeatable" boolean)`,
    [JSON.stringify(names)],
  )
  await client.query(
    `insert into panel.installed_functions (sha256) values ($1)
     on conflict (is_single) do update set sha256 = excluded.sha256`,
    [sha256],
  )
}

/** The difference of a database's schema from this release's, by the names of migrations. */
export type SchemaState = {
  pending: string[]
  /** Migrations of a newer release. */
  unknown: string[]
  edited: string[]
  /** Whether the functions are this release's. */
  hasFunctions: boolean
}

export async function describeSchema(db: Db): Promise<SchemaState> {
  const files = await sqlFiles('migrations')
  const { rows: made } = await db.query<{ is_made: boolean }>(
    `select to_regclass('panel.installed_functions') is not null as is_made`,
  )
  const read = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
    made[0]?.is_made === true ? (await db.query<Row>(text)).rows : []
  const rows = await read<{ name: string; sha256: string }>(
    'select name, sha256 from panel.migrations order by name',
  )
  const applied = new Map(rows.map(row => [row.name, row.sha256]))
  const installed = await read<{ sha256: string }>('select sha256 from panel.installed_functions')
  const isEdited = ({ name, sha256 }: { name: string; sha256: string }) =>
    applied.has(name) && applied.get(name) !== sha256
  return {
    pending: files.filter(({ name }) => !applied.has(name)).map(({ name }) => name),
    unknown: [...applied.keys()].filter(name => files.every(file => file.name !== name)),
    edited: files.filter(isEdited).map(({ name }) => name),
    hasFunctions: installed[0]?.sha256 === sumOf(await sqlFiles('functions')),
  }
}

// Every function has a fixed search_path and is executable only by the roles its file grants. Plans
// are kept from when tables were empty, and look up single rows: a scan of a table is never better.
// If there is no other way, a scan counts as so costly that PostgreSQL would compile it at each
// call, for 0.15 s. Functions that are inlined into their callers' statements (account_record,
// event_body.sql, package_record, all_runs.sql) may have no settings.
const closeFunctions = `
  do $$
  declare
    v_function regprocedure;
  begin
    for v_function in select oid from pg_proc where pronamespace = 'panel'::regnamespace loop
      execute format('revoke execute on function %s from public', v_function);
      if v_function <> all (array[
        'account_record'::regproc, 'event_body'::regproc, 'package_record'::regproc,
        'all_runs'::regproc]) then
        execute format(
          'alter function %s '
            'set search_path = panel, pg_temp set enable_seqscan = off set jit = off',
          v_function);
      end if;
    end loop;
  end;
  $$`

const names = Object.entries(operationNames).map(([name, described]) => ({ name, ...described }))

const sumOf = (files: readonly { sha256: string }[]): string =>
  createHash('sha256')
    .update(files.map(file => file.sha256).join())
    .update(JSON.stringify([names, generatedFunctions, closeFunctions]))
    .digest('hex')

async function sqlFiles(folder: 'migrations' | 'functions') {
  const found = await readdir(join(sqlDir, folder), { recursive: true, withFileTypes: true })
  const files = found.filter(({ name }) => name.endsWith('.sql'))
  files.sort((a, b) => (a.name < b.name ? -1 : 1))
  return Promise.all(
    files.map(async ({ name, parentPath }) => {
      const text = await readFile(join(parentPath, name), 'utf8')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

// All or nothing: a release whose migration fails leaves the previous release's schema. Processes
// of that release may run meanwhile, so a lock that is not available soon is given up before others
// queue behind it.
async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`)
    try {
      await work()
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      const isBusy = (error as { code?: unknown }).code === '55P03'
      if (!isBusy || attempts === maxAttempts) throw error
    }
  }
}

const lockTimeoutMs = 1_000
const maxAttempts = 30
