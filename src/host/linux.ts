import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { linuxFiles } from './accounts/linux-files.ts'
import { linuxQuota } from './accounts/linux-quota.ts'
import { linuxUsers } from './accounts/linux-users.ts'
import type { Parts } from './contract.ts'
import { linuxPhp } from './php/linux-php.ts'
import { plainServices } from './services/plain-services.ts'
import { systemdServices } from './services/systemd.ts'
import { run, systemPath } from './tools/run.ts'

/** The real machine, which this process runs on. */
export const linux: Parts = (_, wrap) => {
  const runHere = wrap(run)
  const folders = systemPath.split(':')
  return {
    isDurable: true,
    run: runHere,
    tools: {
      has: tool => folders.some(folder => existsSync(join(folder, tool))),
      areRequired: true,
    },
    users: linuxUsers(runHere),
    files: linuxFiles(runHere),
    quota: linuxQuota(runHere),
    php: linuxPhp,
    // The first process of a machine stays the same, and sd_booted(3) detects it.
    openServices: existsSync('/run/systemd/system') ? systemdServices : plainServices,
  }
}
