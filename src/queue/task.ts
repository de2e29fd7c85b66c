import type { JobHelpers } from 'graphile-worker'
import type { Pool } from '../db.ts'
import type { Host, Observe } from '../model/server/host.ts'
import type { Step } from '../model/operations/operations.ts'
import type { WarningRow } from '../model/accounts/warnings.ts'
import type { Fatal } from './fatal.ts'
import type { ExclusiveLock } from './exclusive-lock.ts'
import type { Locks } from './locks.ts'

/** An operation that this process is running. */
export type InProgress = {
  /** The epoch of its start; 0 until it is known. */
  epoch: number
  soFar: () => Step[]
}

/** The context that a worker process passes to its tasks. */
export type Context = {
  pool: Pool
  locks: Locks
  exclusive: ExclusiveLock
  /**
   * The operations that this process is running, with their steps so far: the queue may fetch a job
   * that is already running.
   */
  inProgress: Map<string, InProgress>
  host: Host
  /**
   * Checks the services that all accounts share, and stores the result together with what an
   * operation has just found out about them.
   */
  watch: (met?: readonly WarningRow[]) => Promise<void>
  /** Called around each step on the machine. */
  observe: Observe
  /** The server's name in events. */
  serverName: string
  giveUp: Fatal['giveUp']
}

/** The default export of each file below tasks/ whose jobs the worker of the machine runs. */
export type Task = TaskOf<Context>

export type TaskOf<Given> = (payload: unknown, helpers: JobHelpers, given: Given) => Promise<void>
