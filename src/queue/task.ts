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
  /** That of its start; 0 until that is known. */
  epoch: number
  soFar: () => Step[]
}

/** What a worker process gives to each of its tasks. */
export type Context = {
  pool: Pool
  locks: Locks
  exclusive: ExclusiveLock
  /**
   * The operations that this process is at, with their steps so far: the queue may give it a job
   * that it has already.
   */
  inProgress: Map<string, InProgress>
  host: Host
  /**
   * Looks at the services that all accounts share, and keeps what is seen, and what an operation
   * has met of them a moment before.
   */
  watch: (met?: readonly WarningRow[]) => Promise<void>
  /** Around each step on the machine. */
  observe: Observe
  /** What events name as their server. */
  serverName: string
  giveUp: Fatal['giveUp']
}

/** The default export of each file below tasks/ whose jobs the worker of the machine runs. */
export type Task = TaskOf<Context>

export type TaskOf<Given> = (payload: unknown, helpers: JobHelpers, given: Given) => Promise<void>
