import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { linuxQuota } from '../accounts/linux-quota.ts'
import type { Machine, Parts, Quota } from '../contract.ts'
import { defaultProgram, listVersions } from '../php/linux-php.ts'
import { systemdServices } from '../services/systemd.ts'
import { ensureFile, readFile, removeFile } from '../tools/files.ts'
import { run } from '../tools/run.ts'
import { sandboxFiles } from './files.ts'
import { sandboxUsers } from './users.ts'

/**
 * A folder that looks like a machine. No tool of the real one is ever run for it: a command of the
 * same name in its own folder replaces the tool, and if there is none, the step is skipped.
 */
export const sandbox: Parts = (path, wrap) => {
  const folder = path('/usr/local/sbin')
  const tools: Machine['tools'] = {
    has: tool => existsSync(join(folder, tool)),
    areRequired: false,
  }
  const runHere = wrap(async (command, args, { as: _, ...options } = {}) =>
    tools.has(command) ? run(command, args, { ...options, path: `${folder}:/usr/bin:/bin` }) : '',
  )
  return {
    isDurable: false,
    run: runHere,
    tools,
    users: sandboxUsers(path),
    files: sandboxFiles(),
    quota: sandboxQuota(path, tools, linuxQuota(runHere)),
    // A stand-in may answer differently each time, so no test result is remembered.
    php: {
      name: () => defaultProgram(path) ?? 'php-fpm',
      versions: () => listVersions(path),
      surroundings: program => (tools.has(program) ? undefined : ''),
    },
    // A sandbox runs no PHP and reports none as missing; nginx counts as running if it once ran.
    openServices: machine => {
      const services = systemdServices(machine)
      const isKnown = () => existsSync(path('/run/nginx.pid'))
      return {
        ...services,
        check: service => (isKnown() ? services.check(service) : undefined),
        runningPhp: async () => ({ has: () => true }),
      }
    },
  }
}

// Limits are written to a file, so that they can be inspected.
function sandboxQuota(path: Machine['path'], { has }: Machine['tools'], { whyNone }: Quota): Quota {
  const fileOf = (uid: number) => path(`/var/lib/panel/quota/${uid}`)
  return {
    async set(uid, limits) {
      if (limits.every(limit => limit === '0')) removeFile(fileOf(uid))
      else await ensureFile(fileOf(uid), `${limits.join(' ')}\n`, 0o644)
      return undefined
    },
    openReader: async () => uid => (readFile(fileOf(uid)) ?? '').trim(),
    measure: async () => undefined,
    measureRoom: async () => undefined,
    whyNone: async () => (has('repquota') ? whyNone() : null),
  }
}
