import { existsSync, rmSync, writeFileSync } from 'node:fs'
import type { Machine, SharedFile } from '../contract.ts'
import { agrees, ensureFile } from '../tools/files.ts'

// What a service has still to read. Memory is enough to keep it in: what starts with the machine
// reads what there is.

type Service = 'dbus' | 'journald' | 'nginx' | 'sshd' | 'systemd'

/** Is there while files of the service may be newer than what it has read. */
export const staleFile = (service: Service): string => `/run/panel/${service}-stale`

/** Whether the service may not have read its files. */
export const isStale = (machine: Machine, service: Service): boolean =>
  existsSync(machine.path(staleFile(service)))

/**
 * Writes a service's files and has it read them. Whoever comes after a process that died in
 * between, or whose `work` failed, finds the service stale.
 */
export async function whileStale<T>(
  machine: Machine,
  service: Service,
  work: () => Promise<T>,
): Promise<T> {
  const path = machine.path(staleFile(service))
  writeFileSync(path, '')
  const result = await work()
  rmSync(path, { force: true })
  return result
}

/** Makes files what they should be, and has their service read them where it may not have. */
export async function ensureRead<T>(
  machine: Machine,
  service: Service,
  files: readonly SharedFile[],
  reread: () => Promise<T>,
): Promise<T | void> {
  const isRight = ({ path, text }: SharedFile) => agrees(machine.path(path), text, 0o644)
  if (files.every(isRight) && !isStale(machine, service)) return
  return whileStale(machine, service, async () => {
    for (const { path, text } of files) await ensureFile(machine.path(path), text, 0o644)
    return reread()
  })
}
