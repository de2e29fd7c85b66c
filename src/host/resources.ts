import { cron } from './access/cron.ts'
import { sftp } from './access/sftp.ts'
import { home } from './accounts/home.ts'
import { orphanedFiles } from './accounts/orphaned-files.ts'
import { quota } from './accounts/quota.ts'
import { slice } from './accounts/slice.ts'
import { processes } from './accounts/user-processes.ts'
import { user } from './accounts/user.ts'
import type { Resource } from './contract.ts'
import { databases } from './databases/databases.ts'
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

/** All parts of an account, in the order in which drift and backups tell of them. */
export const resources: readonly Resource[] = [
  ...[user, sftp, home, quota, cron, slice, php, websites, certificates, databases],
  ...[processes, orphanedFiles],
]
