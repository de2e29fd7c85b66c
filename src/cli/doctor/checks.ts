import { backupChecks } from './backups.ts'
import { certificateChecks } from './certificates.ts'
import type { Check } from './check.ts'
import { clockChecks } from './clock.ts'
import { databaseChecks } from './database.ts'
import { diskChecks } from './disk.ts'
import { dnsChecks } from './dns.ts'
import { driftChecks } from './drift.ts'
import { licenseChecks } from './license.ts'
import { permissionChecks } from './permissions.ts'
import { portChecks } from './ports.ts'
import { processChecks } from './panel-processes.ts'
import { queueChecks } from './queue.ts'
import { quotaChecks } from './quota.ts'
import { serviceChecks } from './host-services.ts'
import { versionChecks } from './versions.ts'
import { webhookChecks } from './webhooks.ts'

/** Every check, in the order of the report: what others depend on comes first. */
export const checks: Check[] = [
  ...databaseChecks,
  ...processChecks,
  ...queueChecks,
  ...webhookChecks,
  ...licenseChecks,
  ...backupChecks,
  ...serviceChecks,
  ...certificateChecks,
  ...diskChecks,
  ...quotaChecks,
  ...permissionChecks,
  ...clockChecks,
  ...dnsChecks,
  ...portChecks,
  ...versionChecks,
  ...driftChecks,
]
