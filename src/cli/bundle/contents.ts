import { readFileSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { installationDir, version } from '../../config.ts'
import type { Pool } from '../../db.ts'
import { listNames, readFile } from '../../host/tools/files.ts'
import { run } from '../../host/tools/run.ts'
import { releasesFolder } from '../../install/release.ts'
import { readHistory, readJournal, readOutcome } from '../../install/update/journal.ts'
import { describeDatabase } from '../../model/server/database.ts'
import { listFailures } from '../../model/jobs/failures.ts'
import { pausedSince } from '../../model/server/restore-pause.ts'
import { listProcesses } from '../../model/server/panel-processes.ts'
import { inWords, summary, type Report } from '../doctor/report.ts'
import type { Found } from '../find-panel.ts'
import { describeInstalled } from '../license/described.ts'
import { readLogs } from './logs.ts'
import { type Scrub, scrubbed } from './scrub.ts'

const about = `A support bundle of the panel.

info.json        what is installed, and what is up
doctor.txt/json  what panel ctl doctor says
versions.json    the system, the panel's dependencies, the packages it drives
settings.json    the settings, without what opens anything
installation.json  releases, and what became of the last update
failures.json    jobs, operations, deliveries, hook scripts and certificates that failed
logs/            the last log lines of the processes and the installer, and the state of the units

Passwords, tokens, keys, hashes, licenses and addresses that hold one were cut out, and so was what
looked like one; what customers keep here was never read. Names of accounts and domains are in it.
`

/** Collects the files of a bundle, by their names, without secrets. */
export async function collect(
  found: Found,
  db: Pool | undefined,
  report: Report,
  scrub: Scrub,
): Promise<Map<string, string>> {
  const logs = await readLogs(found)
  const values: Record<string, unknown> = {
    'info.json': await describe(found, db),
    'doctor.json': report,
    'versions.json': await describeVersions(),
    'settings.json': describeSettings(found),
    'installation.json': describeInstallation(found),
    'failures.json': await orReason(db, listFailures),
  }
  const texts: Record<string, string> = {
    'README.txt': about,
    'doctor.txt': `${inWords(report)}\n${summary(report)}\n`,
    ...Object.fromEntries([...logs].map(([name, text]) => [`logs/${name}`, text])),
  }
  return new Map([
    ...Object.entries(values).map(([name, value]): [string, string] => [
      name,
      `${JSON.stringify(scrubbed(value, scrub), null, 2)}\n`,
    ]),
    ...Object.entries(texts).map(([name, text]): [string, string] => [name, scrub(text)]),
  ])
}

async function describe({ config, license }: Found, db: Pool | undefined) {
  return {
    made_at: new Date(),
    version,
    host: { name: config.serverName, kind: config.host },
    ...(await orReason(db, async pool => ({
      license: (await describeInstalled(pool, license)).result,
      database: await describeDatabase(pool),
      processes: await listProcesses(pool),
      paused_since: await pausedSince(pool),
    }))),
  }
}

async function orReason<T extends object>(
  db: Pool | undefined,
  read: (pool: Pool) => Promise<T>,
): Promise<T | { unknown: string }> {
  if (db === undefined) return { unknown: 'The database cannot be reached' }
  try {
    return await read(db)
  } catch (error) {
    return { unknown: error instanceof Error ? error.message : `${error}` }
  }
}

async function describeVersions() {
  const { dependencies } = JSON.parse(
    readFileSync(join(installationDir, 'package.json'), 'utf8'),
  ) as { dependencies: object }
  return {
    panel: version,
    node: process.versions.node,
    kernel: release(),
    system: /^PRETTY_NAME="(.*)"$/m.exec(readFile('/usr/lib/os-release') ?? '')?.[1] ?? null,
    dependencies,
    packages: await listPackages(),
  }
}

const packages = ['nginx*', 'php*-fpm', 'openssh-server', 'postgresql-[0-9]*', 'quota', 'acl']

async function listPackages(): Promise<string[]> {
  const format = '${Package} ${Version} ${db:Status-Status}\\n'
  try {
    // 1: some of them are not installed.
    const options = { acceptedCodes: [1], timeoutMs: 10_000 }
    const text = await run('dpkg-query', ['-W', '-f', format, '--', ...packages], options)
    return text.split('\n').flatMap(line => /^(.*) installed$/.exec(line)?.[1] ?? [])
  } catch {
    return [] // Not a Debian.
  }
}

// Settings are named one by one, so that a new one is not disclosed by accident.
// Root alone may know of updates.
function describeInstallation({ isInstalled }: Found) {
  if (!isInstalled || process.getuid?.() !== 0) return null
  return {
    releases: listNames(releasesFolder),
    history: readHistory(),
    last: readOutcome() ?? null,
    in_progress: readJournal() ?? null,
  }
}

function describeSettings({ config, databaseUrl, isInstalled }: Found) {
  const { hostname, port, pathname } = new URL(databaseUrl)
  const database = { host: decodeURIComponent(hostname), port, name: pathname.slice(1) }
  const { listen, socket, trustedProxies, stateDir, hooksDir, host, certificates } = config
  return {
    is_installed: isInstalled,
    host,
    base_url: new URL(config.baseUrl).origin,
    listen: socket ?? `${listen.host}:${listen.port}`,
    trusted_proxies: trustedProxies,
    state_folder: stateDir,
    hooks_folder: hooksDir,
    server_name: config.serverName,
    webhook_allow: config.webhookAllow,
    trash_hours: config.trashHours,
    acme_directory: certificates.directory === null ? null : new URL(certificates.directory).origin,
    addresses: certificates.addresses,
    resolver: certificates.resolver,
    has_own_database: config.databaseUrl === null,
    database,
  }
}
