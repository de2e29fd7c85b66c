import { cron } from './access/cron.ts'
import { keys } from './access/keys.ts'
import { sftp } from './access/sftp.ts'
import { home } from './accounts/home.ts'
import { orphanedFiles } from './accounts/orphaned-files.ts'
import { processes } from './accounts/user-processes.ts'
import { quota } from './accounts/quota.ts'
import { slice } from './accounts/slice.ts'
import { user } from './accounts/user.ts'
import type { Resource } from './contract.ts'
import { php } from './php/fpm.ts'
import { certificates } from './web/certificate.ts'
import { vhosts } from './web/nginx.ts'

/** All parts of an account, in the order in which drift and backups tell of them. */
export const resources: readonly Resource[] = [
  user,
  sftp,
  home,
  quota,
  cron,
  slice,
  php,
  vhosts,
  certificates,
  keys,
  processes,
  orphanedFiles,
]
