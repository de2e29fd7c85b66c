import { backupChecks } from './backups.ts'
import { certificateChecks } from './certificates.ts'
import type { Check, Checks } from './check.ts'
import { clockChecks } from './clock.ts'
import { databaseChecks } from './database.ts'
import { mailChecks } from './mail.ts'
import { mailServerChecks } from './mail-server.ts'
import { mariadbChecks } from './mariadb.ts'
import { diskChecks } from './disk.ts'
import { dnsChecks } from './dns.ts'
import { driftChecks } from './drift.ts'
import { installationChecks } from './installation.ts'
import { licenseChecks } from './license.ts'
import { nameChecks } from './names.ts'
import { permissionChecks } from './permissions.ts'
import { portChecks } from './ports.ts'
import { processChecks } from './panel-processes.ts'
import { queueChecks } from './queue.ts'
import { quotaChecks } from './quota.ts'
import { serviceChecks } from './host-services.ts'
import { versionChecks } from './versions.ts'
import { webhookChecks } from './webhooks.ts'
import { websiteChecks } from './websites.ts'

type Group = { about: string; checks: Checks }

/** The groups of checks; `about` is for the reference. */
export const groups: Record<string, Group> = {
  database: {
    about: 'whether PostgreSQL answers, migrations, functions, locks, durability, connections',
    checks: databaseChecks,
  },
  processes: { about: 'whether API, worker and courier are up', checks: processChecks },
  installation: {
    about: 'the installed release, updates, unfinished restores, units, the reverse proxy',
    checks: installationChecks,
  },
  queue: {
    about:
      'pauses, late and failed jobs, operations that wait or fail, scheduled work, hook scripts',
    checks: queueChecks,
  },
  names: {
    about: 'accounts with a name of a system user; websites below one of another account',
    checks: nameChecks,
  },
  webhooks: {
    about: 'failing webhooks, failed deliveries, the backlog, private authorities, secrets',
    checks: webhookChecks,
  },
  license: {
    about: 'whether the license is valid, when it ends, how many accounts are left',
    checks: licenseChecks,
  },
  backups: {
    about: 'the age of the newest backup; a restored server that waits for its release',
    checks: backupChecks,
  },
  services: {
    about: 'nginx, PHP, sshd and cron: configuration, and whether they run',
    checks: serviceChecks,
  },
  mariadb: { about: 'MariaDB of accounts', checks: mariadbChecks },
  mail: { about: 'the relay, and the service for mail of scripts', checks: mailChecks },
  'mail-server': {
    about: 'the configuration of the mail server, and whether its daemons run',
    checks: mailServerChecks,
  },
  websites: {
    about: 'what visitors are served, `.htaccess` rules that are not applied',
    checks: websiteChecks,
  },
  certificates: {
    about: 'certificates that are missing, failing or about to expire',
    checks: certificateChecks,
  },
  disk: { about: 'room on the disks', checks: diskChecks },
  quota: { about: 'whether disk quota is enforced', checks: quotaChecks },
  permissions: {
    about: "modes and owners of the panel's files and nginx's logs, hidden processes, hook scripts",
    checks: permissionChecks,
  },
  clock: { about: 'the clock of the server', checks: clockChecks },
  dns: { about: "the server's name", checks: dnsChecks },
  ports: { about: 'listening ports', checks: portChecks },
  versions: { about: 'versions of programs', checks: versionChecks },
  drift: {
    about: 'accounts that differ from the machine, and what no account owns',
    checks: driftChecks,
  },
}

/** Every check, in the order of the report: what others depend on comes first. */
export const checks: Check[] = Object.entries(groups).flatMap(([group, own]) =>
  Object.entries(own.checks).map(([what, run]) => ({ name: `${group}/${what}`, run })),
)
