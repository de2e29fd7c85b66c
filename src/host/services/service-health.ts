import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { agrees, readFile } from '../tools/files.ts'
import type { Machine } from '../contract.ts'
import { hasKernel } from '../accounts/user-processes.ts'
export { listDifferingShared } from '../web/nginx-prepare.ts'
import { ownFile, whyNotIncluded as whyNotIn } from '../web/nginx.ts'
import { CommandError } from '../tools/run.ts'
import { staleFile } from './stale.ts'
import { closedGroup, renderSshd, sshdFile } from '../access/sftp.ts'

// The health of the machine's services, for `panel ctl doctor` and the accounts' warnings. Nothing
// here changes anything.

// A test takes some milliseconds.
const limitMs = 10_000

/** Returns why a tool refuses a configuration; undefined if it accepts it. */
export async function whyRefused(
  machine: Machine,
  tool: string,
  args: readonly string[],
): Promise<string | undefined> {
  try {
    await machine.run(tool, args, { timeoutMs: limitMs })
    return undefined
  } catch (error) {
    if (error instanceof CommandError) return error.message
    throw error
  }
}

/** Returns why nginx does not read the panel's files; undefined if it does. */
export function whyNotIncluded(machine: Machine): string | undefined {
  return whyNotIn(readFile(machine.path(ownFile)))
}

// A reload of nginx takes less, however many callers wait for it.
const reloadMs = 60_000

/** Returns whether a reload of nginx has been overdue for longer than one takes. */
export function isReloadOverdue(machine: Machine, now: number): boolean {
  const found = statSync(machine.path(staleFile('nginx')), { throwIfNoEntry: false })
  return found !== undefined && now - found.mtimeMs > reloadMs
}

export const isSshdPartWritten = (machine: Machine): boolean =>
  agrees(machine.path(sshdFile), renderSshd(), 0o644)

/** Returns whether sshd reads the panel's file, according to sshd's own effective configuration. */
export async function isSshdPartRead(machine: Machine): Promise<boolean> {
  const effective = await machine.run('sshd', ['-T'], { timeoutMs: limitMs })
  return effective.split('\n').includes(`denygroups ${closedGroup}`)
}

/** Returns the ports in sshd's effective configuration; undefined if it cannot be read. */
export async function listSshPorts(machine: Machine): Promise<number[] | undefined> {
  try {
    const effective = await machine.run('sshd', ['-T'], { timeoutMs: limitMs })
    const ports = effective.matchAll(/^listenaddress .*:([0-9]+)$/gm)
    const each = new Set([...ports].map(([, port]) => Number(port)))
    return each.size === 0 ? undefined : [...each]
  } catch (error) {
    // It refuses its configuration, or is not installed.
    if (error instanceof CommandError) return undefined
    throw error
  }
}

/** Returns the machine's php-fpm; null on a sandbox without one, undefined if it is missing. */
export function findPhp(machine: Machine): string | null | undefined {
  try {
    const name = machine.php.name()
    return machine.tools.has(name) ? name : null
  } catch {
    return undefined
  }
}

/** Returns what the kernel cannot limit; undefined on a sandbox without control groups. */
export function listMissingControllers(machine: Machine): string[] | undefined {
  const location = machine.path('/sys/fs/cgroup')
  if (!hasKernel(machine) && !existsSync(location)) return undefined
  const desired = ['memory', 'cpu', 'pids']
  const unified = readFile(join(location, 'cgroup.controllers'))
  if (unified === undefined) return desired.filter(name => !existsSync(join(location, name)))
  return desired.filter(name => !unified.trim().split(' ').includes(name))
}

/** Returns whether a time service sets the clock; undefined if unknown. */
export async function isClockKept(machine: Machine): Promise<boolean | undefined> {
  if (!machine.tools.has('timedatectl')) return undefined
  try {
    const output = await machine.run('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], {
      timeoutMs: limitMs,
    })
    return output.trim() === 'yes'
  } catch (error) {
    // timedatectl asks systemd, which may not be running.
    if (error instanceof CommandError) return undefined
    throw error
  }
}
