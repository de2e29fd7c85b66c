import { existsSync } from 'node:fs'
import type { HostAccount } from '../../model/host-account.ts'
import type { SharedFile } from '../tools/file-drift.ts'
import type { Machine } from '../machine.ts'
import { plainServices } from './plain-services.ts'
import { systemdServices } from './systemd.ts'

/** A service that all accounts share. */
export type Service = 'nginx' | 'ssh'

/** What an account's owner misses while a service does not run. */
export const notRunning = (service: Service): string =>
  service === 'nginx'
    ? 'nginx is not running: websites are not served'
    : 'sshd is not running: nobody can log in by SFTP'

/**
 * Whoever keeps the machine's services and limits: systemd, or the worker itself where systemd is
 * not running. What they can't do they say as a sentence for the administrator.
 */
export type Services = {
  /** Makes what all accounts share ready, at a worker's start. */
  prepare(): Promise<void>
  /** Files of its own that all accounts share. */
  sharedFiles(): SharedFile[]
  /** Makes those agree. */
  ensureSharedFiles(): Promise<void>
  /** Has a service read its configuration again, without ending what it does. */
  reload(service: Service): Promise<string | void>
  /** Tells where a service does not run. */
  look(service: Service): string | void
  /** Has the PHP of accounts answer; what runs goes on. */
  startPhp(...uids: number[]): Promise<void>
  /** Has the account's PHP read its configuration again, if it runs. */
  rereadPhp(uid: number): Promise<void>
  /** Has the PHP of those that run read its configuration again, one after the other. */
  reloadPhp(uids: readonly number[]): void
  /** The accounts whose PHP answers. */
  runningPhp(): Promise<Pick<Set<number>, 'has'>>
  /** Stops the account's PHP; nothing starts it again. */
  stopPhp(uid: number): Promise<void>
  /** Limits memory, CPU and processes, at once and after every start of the machine. */
  limit(account: HostAccount): Promise<string | void>
  /** Whether it is limited so already, as far as that can be seen without a process. */
  isLimited(account: HostAccount): boolean
  /** Whether it is not, and could be. */
  isLimitDue(account: HostAccount): boolean
  unlimit(uid: number): Promise<void>
}

/** Chooses once, for as long as the process lives: a machine does not change its first process. */
export const openServices = (machine: Machine): Services =>
  machine.kind === 'sandbox' || isSystemdRunning()
    ? systemdServices(machine)
    : plainServices(machine)

// How systemd's own sd_booted(3) tells.
const isSystemdRunning = (): boolean => existsSync('/run/systemd/system')
