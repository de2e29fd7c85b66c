import { accountBackups } from './account-backups/account-backups.ts'
import { cron } from './access/cron.ts'
import { sftp } from './access/sftp.ts'
import { whyNoAdminer } from './adminer/adminer.ts'
import { home } from './accounts/home.ts'
import { orphanedFiles } from './accounts/orphaned-files.ts'
import { quota } from './accounts/quota.ts'
import { slice } from './accounts/slice.ts'
import { processes } from './accounts/user-processes.ts'
import { user } from './accounts/user.ts'
import type { Host } from '../model/server/host.ts'
import type { Machine, Resource } from './contract.ts'
import { cronJobs } from './cron-jobs/cron-jobs.ts'
import { databases } from './databases/databases.ts'
import { mail } from './mail/account-mail.ts'
import { mailHosting } from './mail-hosting/mail-hosting.ts'
import { php } from './php/fpm.ts'
import { certificates } from './web/certificate.ts'
import { websites } from './web/websites.ts'

export {
  certificates,
  cron,
  databases,
  home,
  orphanedFiles,
  php,
  processes,
  quota,
  sftp,
  slice,
  user,
  websites,
}

/**
 * Resources that nothing else of an account relies on: made once its user may log in, and stopped
 * or removed before its processes are ended.
 */
export const leafResources: readonly Resource[] = [cronJobs, mail, mailHosting, accountBackups]

/** All parts of an account, in the order of drift reports and backups. */
export const resources: readonly Resource[] = [
  ...[user, sftp, home, quota, cron, slice, php, websites, certificates, databases],
  ...leafResources,
  ...[processes, orphanedFiles],
]

/** The operations of resources that are not about one account. */
export const servicesOf = (machine: Machine): Pick<Host, 'service' | 'removeExpired'> => ({
  service: name => {
    const found = resources.find(one => one.name === name)?.serve?.(machine, resources)
    if (found === undefined) throw new Error(`${name} serves nothing`)
    return found
  },
  async removeExpired() {
    for (const one of resources) await one.removeExpired?.(machine)
  },
})

/** The check of the services that all accounts share. */
export const serviceHealthOf = (machine: Machine): Pick<Host, 'checkServices'> => ({
  checkServices: async () => {
    const found: Record<string, string | undefined> = { adminer: whyNoAdminer(machine) }
    for (const { name, whyDown } of resources) found[name] = await whyDown?.(machine)
    return Object.fromEntries(
      Object.entries(found).flatMap(([part, why]) => (why ? [[part, why]] : [])),
    )
  },
})
