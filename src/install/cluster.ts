import { existsSync, readFileSync, statSync } from 'node:fs'
import { PanelError } from '../errors.ts'
import { ensureFile } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import { closeLockFunctions } from '../model/server/lock-functions.ts'
import { hbaRules, identRules, withRules } from './access-rules.ts'
import { whyForeign } from './foreign-database.ts'
import type { InstallStep } from './plan.ts'

// PostgreSQL of this machine. The cluster's own configuration stays unchanged; the panel adds
// access rules for its database, a role and that database.

export type Cluster = { version: string; name: string; port: string }

/** The folder of the sockets of Debian's PostgreSQL. */
const socketFolder = '/var/run/postgresql'

/** Returns the address of the panel's database in it, where each process uses its own role. */
export const urlOf = ({ port }: Cluster): string =>
  `postgresql://${encodeURIComponent(socketFolder)}:${port}/panel?sslmode=disable`

/** Returns the cluster that the panel uses: the one on the usual port, else the first. */
export async function findCluster(): Promise<Cluster | undefined> {
  if (!existsSync('/usr/bin/pg_lsclusters')) return undefined
  const clusters = (await run('pg_lsclusters', ['--no-header']))
    .split('\n')
    .filter(Boolean)
    .map(line => line.split(/\s+/))
    .map(([version = '', name = '', port = '']) => ({ version, name, port }))
  return clusters.find(({ port }) => port === '5432') ?? clusters[0]
}

export const databaseStep: InstallStep = {
  name: 'database',
  does: ({ databaseUrl }) =>
    databaseUrl === undefined
      ? "Create the database panel and its role in this server's PostgreSQL"
      : 'Use the database in DATABASE_URL',
  async act({ databaseUrl }) {
    if (databaseUrl === undefined) await ensureDatabase()
  },
}

async function ensureDatabase(): Promise<void> {
  const cluster = await startedCluster()
  const foreign = await whyForeign((database, words) => askPostgres(cluster, words, database))
  if (foreign !== undefined) throw new PanelError('invalid', foreign)
  await setRules(cluster, hbaRules(), identRules())
  await askPostgres(cluster, makeDatabase)
  await askPostgres(cluster, closeLockFunctions, 'panel')
}

/**
 * Returns why the panel cannot have its database here; undefined if it can, or if that is unknown
 * yet.
 */
export async function whyNoDatabase(): Promise<string | undefined> {
  const cluster = await findCluster()
  if (cluster === undefined) return undefined
  // Starts a stopped cluster first and lists it again.
  const ask = (database: string, words: string) => askPostgres(cluster, words, database)
  return whyForeign(ask).catch(() => undefined)
}

async function startedCluster(): Promise<Cluster> {
  const found = (await findCluster()) ?? (await makeCluster())
  const unit = `postgresql@${found.version}-${found.name}.service`
  // Starting it also shows whether a cluster is half-made.
  await run('systemctl', ['start', '--', unit], { timeoutMs: 120_000 })
  return found
}

async function makeCluster(): Promise<Cluster> {
  const version = (
    await run('pg_config', ['--version']).catch(() => run('psql', ['--version']))
  ).match(/\b[0-9]+/)?.[0]
  if (version === undefined) throw new PanelError('unavailable', 'PostgreSQL is not installed')
  await run('pg_createcluster', [version, 'main'], { timeoutMs: 120_000 })
  const made = await findCluster()
  if (made === undefined) throw new PanelError('unavailable', 'PostgreSQL has no cluster')
  return made
}

async function ensure(path: string, rules: readonly string[]): Promise<void> {
  const { uid, gid, mode } = statSync(path)
  await ensureFile(path, withRules(readFileSync(path, 'utf8'), rules), mode & 0o777, { uid, gid })
}

/**
 * Gives the cluster these rules as its first, or none. Always reloads: an earlier run may have been
 * killed between writing and reloading.
 */
export async function setRules(
  cluster: Cluster,
  hba: readonly string[],
  ident: readonly string[],
): Promise<void> {
  const folder = `/etc/postgresql/${cluster.version}/${cluster.name}`
  await ensure(`${folder}/pg_ident.conf`, ident)
  await ensure(`${folder}/pg_hba.conf`, hba)
  await askPostgres(cluster, 'select pg_reload_conf();\n')
}

/** Runs statements as the superuser of the cluster. */
export async function askPostgres(
  { port }: Cluster,
  statements: string,
  database = 'postgres',
): Promise<string> {
  const [uid = NaN, gid = NaN] = (
    (await run('id', ['-u', 'postgres'])) + (await run('id', ['-g', 'postgres']))
  )
    .split('\n')
    .map(Number)
  const options = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1']
  const location = ['-h', socketFolder, '-p', port, '-d', database]
  return run('psql', [...options, ...location], { as: uid, group: gid, stdin: statements })
}

// `panel_owner` makes the other roles when it migrates. Names compare by their bytes, as in the
// panel's tests, whatever the machine's language is.
const makeDatabase = `
do $$
begin
  if not exists (select from pg_roles where rolname = 'panel_owner') then
    create role panel_owner login createrole;
  end if;
end;
$$;
select 'create database panel owner panel_owner template template0 encoding ''UTF8'' '
  'lc_collate ''C'' lc_ctype ''C'''
where not exists (select from pg_database where datname = 'panel') \\gexec
`
