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

const groups: Record<string, Checks> = {
  database: databaseChecks,
  processes: processChecks,
  installation: installationChecks,
  queue: queueChecks,
  names: nameChecks,
  webhooks: webhookChecks,
  license: licenseChecks,
  backups: backupChecks,
  services: serviceChecks,
  mariadb: mariadbChecks,
  mail: mailChecks,
  'mail-server': mailServerChecks,
  websites: websiteChecks,
  certificates: certificateChecks,
  disk: diskChecks,
  quota: quotaChecks,
  permissions: permissionChecks,
  clock: clockChecks,
  dns: dnsChecks,
  ports: portChecks,
  versions: versionChecks,
  drift: driftChecks,
}

/** Every check, in the order of the report: what others depend on comes first. */
export const checks: Check[] = Object.entries(groups).flatMap(([group, own]) =>
  Object.entries(own).map(([what, run]) => ({ name: `${group}/${what}`, run })),
)
