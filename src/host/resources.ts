import { cron } from './access/cron.ts'
import { sftp } from './access/sftp.ts'
import { home } from './accounts/home.ts'
import { orphanedFiles } from './accounts/orphaned-files.ts'
import { quota } from './accounts/quota.ts'
import { slice } from './accounts/slice.ts'
import { processes } from './accounts/user-processes.ts'
import { user } from './accounts/user.ts'
import type { Resource } from './contract.ts'
import { php } from './php/fpm.ts'
import { certificates } from './web/certificate.ts'
import { vhosts } from './web/nginx.ts'

export { certificates, cron, home, orphanedFiles, php, processes, quota, sftp, slice, user, vhosts }

/** All parts of an account, in the order in which drift and backups tell of them. */
export const resources: readonly Resource[] = [
  ...[user, sftp, home, quota, cron, slice, php, vhosts, certificates],
  ...[processes, orphanedFiles],
]
