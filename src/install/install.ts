import { follow } from '../host/tools/follow.ts'
import type { Observe } from '../model/server/host.ts'
import { databaseStep } from './cluster.ts'
import { quotaStep } from './disk-quota.ts'
import { reverseProxyStep } from './reverse-proxy.ts'
import { healthStep } from './health.ts'
import { databasesStep, mariadbStep } from './mariadb.ts'
import { packageStep } from './packages.ts'
import { releaseStep } from './place-release.ts'
import type { InstallStep, Plan } from './plan.ts'
import { administratorStep, licenseStep, schemaStep } from './schema.ts'
import { settingsStep } from './settings.ts'
import { stockPhpStep } from './stock-php.ts'
import { unitStep } from './units.ts'
import { userStep } from './users.ts'

/** The steps from a fresh machine to a panel, in order. Each step relies on those before it. */
export const installSteps: readonly InstallStep[] = [
  databasesStep,
  packageStep,
  stockPhpStep,
  releaseStep,
  userStep,
  databaseStep,
  settingsStep,
  schemaStep,
  licenseStep,
  administratorStep,
  reverseProxyStep,
  unitStep,
  mariadbStep,
  quotaStep,
  healthStep,
]

/**
 * Installs a panel, or makes an installed one agree with the plan. If killed at any line, the next
 * run ends in the same state. Returns what could not be done.
 */
export const install = (plan: Plan, observe: Observe): Promise<string[]> =>
  follow(installSteps, ({ act }) => act(plan), observe)
