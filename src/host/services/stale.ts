import { existsSync, rmSync, writeFileSync } from 'node:fs'
import type { Machine, SharedFile } from '../contract.ts'
import { agrees, ensureFile } from '../tools/files.ts'

// Marks of services that have yet to read changed files. The marks need to survive only in memory:
// a service that starts with the machine reads the current files.

type Service = 'dbus' | 'journald' | 'nginx' | 'sshd' | 'systemd'

/** Exists while files of the service may be newer than those it has read. */
export const staleFile = (service: Service): string => `/run/panel/${service}-stale`

/** Returns whether the service may not have read its files. */
export const isStale = (machine: Machine, service: Service): boolean =>
  existsSync(machine.path(staleFile(service)))

/**
 * Writes a service's files and makes it read them. If a process dies in between, or `work` fails,
 * the next one finds the service marked stale.
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

/** Makes files agree, and has their service read them if it may not have. */
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
