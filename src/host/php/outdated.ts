import { readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { isSitePhp, type PhpInstance } from './instances.ts'

/**
 * Returns the accounts, among these instances, whose own PHP runs another program than this one.
 * The first process of each is its master.
 */
export const listOutdated = (
  processes: ReadonlyMap<PhpInstance, readonly number[]>,
  program: string,
): PhpInstance[] =>
  [...processes].flatMap(([instance, [pid = 0]]) => {
    const running = isSitePhp(instance) ? undefined : programOf(pid)
    return running === undefined || running === program ? [] : [instance]
  })

// An updated program keeps its name, followed by a word of the kernel's.
function programOf(pid: number): string | undefined {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '')
  } catch {
    return undefined // It has ended.
  }
}
