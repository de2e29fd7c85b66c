import { EventEmitter } from 'node:events'
import { run, type TaskList, type WorkerEvents, type WorkerPool } from 'graphile-worker'
import { z } from 'zod'
import type { Pool } from '../db.ts'
import { log } from '../log.ts'
import type { Fatal } from './fatal.ts'
import type { Locks } from './locks.ts'
import { queueLogger } from './logger.ts'
import type { Schedule } from './schedule.ts'

/** Jobs that share slots and use no others. */
export type JobPool = {
  taskList: TaskList
  /** The maximum number of jobs in flight. */
  slots: number
  schedule?: Schedule | undefined
  /**
   * Whether jobs of its task notify it themselves (add_hook_run): it is not woken for every other
   * job.
   */
  isReported?: boolean
  settings: Pick<GraphileConfig.WorkerOptions, 'localQueue' | 'gracefulShutdownAbortTimeout'>
}

// The payload that add_worker_job sends for the jobs of such a task. Any role may send anything on
// the channel.
const Notice = z.object({ task: z.string().optional() }).catch({})

// The poll interval, in case a NOTIFY is missed.
const pollMs = 1_000

/**
 * Runs the jobs of a queue in this process, until it stops or gives up. It also listens to other
 * channels: PostgreSQL wakes each listening connection for any.
 */
export function openQueue(
  pool: Pool,
  schema: string,
  { locks, giveUp }: { locks: Locks; giveUp: Fatal['giveUp'] },
  heard: Record<string, (payload: string) => void> = {},
) {
  const locked: Promise<void>[] = []
  // The first fetch waits for the lock: without it, the reaper would free the jobs of this pool.
  const gate = () => Promise.all(locked)
  const reported = new Map<string, WorkerPool>()
  return async ({ taskList, slots, schedule = [], isReported = false, settings }: JobPool) => {
    let workers: WorkerPool | undefined
    const events: WorkerEvents = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => {
      workers = workerPool
      locked.push(locks.lockPool(workerPool.id))
      if (isReported) for (const task of Object.keys(taskList)) reported.set(task, workerPool)
    })
    events.on('pool:listen:success', ({ client }) => {
      const channels = Object.keys(heard).map(channel => `listen ${channel}`)
      client.query(channels.join(';')).catch((error: unknown) => log.error('cannot listen', error))
    })
    events.on('pool:listen:notification', ({ message: { channel, payload = '' } }) => {
      if (channel !== 'jobs:insert') return heard[channel]?.(payload)
      const { task } = Notice.parse(parsed(payload))
      if (task !== undefined) reported.get(task)?.nudge(1)
    })
    // A local queue polls for all its slots.
    const isShared = settings.localQueue?.size !== -1
    if (!isShared) pollForAll(events)
    events.on('pool:fatalError', ({ error }) => void giveUp('the queue failed', error))
    const runner = await run({
      pgPool: gated(pool, gate, !isReported),
      taskList,
      parsedCronItems: schedule,
      events,
      logger: queueLogger,
      noHandleSignals: true,
      preset: {
        worker: {
          schema,
          concurrentJobs: slots,
          pollInterval: isShared ? pollMs : 60 * pollMs,
          // The defaults lose completions of executed jobs at stop.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          ...settings,
        },
      },
    })
    void runner.promise.then(
      () => giveUp('the queue has ended', undefined),
      error => giveUp('the queue has ended', error),
    )
    return { stop: () => runner.stop(), nudge: () => workers?.nudge(1) }
  }
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

/** Makes one slot poll for all, and the next one too as long as a poll finds a job. */
function pollForAll(events: WorkerEvents): void {
  let isPolling = false
  events.on('pool:create', ({ workerPool }) => {
    const timer = setInterval(() => {
      isPolling = true
      workerPool.nudge(1)
    }, pollMs)
    events.on('job:start', () => void (isPolling && workerPool.nudge(1)))
    events.on('pool:gracefulShutdown', () => {
      isPolling = false
      clearInterval(timer)
    })
  })
  events.on('worker:getJob:empty', () => {
    isPolling = false
  })
}

/**
 * Hands out no connection before the gate is open, and none for listening where that is not
 * allowed.
 */
function gated(given: Pool, gate: () => Promise<unknown>, listens: boolean): Pool {
  const pool = Object.create(given) as Pool
  const connect = given.connect.bind(given)
  const later = async () => {
    await gate()
    return connect()
  }
  type Callback = Parameters<Pool['connect']>[0]
  pool.connect = ((callback?: Callback) => {
    if (callback !== undefined && !listens) return
    const client = later()
    if (callback === undefined) return client
    return void client.then(
      given => callback(undefined, given, given.release),
      (error: Error) => callback(error, undefined, () => undefined),
    )
  }) as Pool['connect']
  // After this, only the listener uses the form with a callback.
  if (!listens) pool.query = given.query.bind(given) as Pool['query']
  return pool
}
