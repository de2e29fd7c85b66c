import { watch } from 'node:fs'
import { log } from '../../log.ts'
import type { Machine } from '../contract.ts'
import { isThere } from '../tools/files.ts'
import { hasOtherModules, modulesFolder } from './nginx-prepare.ts'

// A package that adds or removes a module has nginx reload soon after, which nginx refuses as long
// as the configuration has directives of a module that is gone.

const checkMs = 60_000

/**
 * Writes nginx's configuration again whenever a module that it depends on was installed or removed,
 * for as long as this process lives.
 */
export function followModules(machine: Machine): void {
  const folder = machine.path(modulesFolder)
  const check = async () => {
    try {
      if (hasOtherModules(machine)) await machine.ensureShared()
    } catch (error) {
      log.error('following the modules of nginx failed', error)
    }
  }
  // Finds what changed while the folder could not be watched, or was replaced.
  setInterval(check, checkMs).unref()
  if (!isThere(folder)) return
  watch(folder, { persistent: false }, () => void check()).on('error', error =>
    log.error('the modules of nginx cannot be watched', error),
  )
}
