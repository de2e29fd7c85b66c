import { join } from 'node:path'
import { getTasks, type TaskList } from 'graphile-worker'
import { installationDir } from '../config.ts'
import { isOutage, openPool, type Pool } from '../db.ts'
import { setIssuing } from '../model/certificates/certificates.ts'
import { isMaintenance } from '../model/jobs/job-tasks.ts'
import type { Host, Observe } from '../model/server/host.ts'
import type { Running } from '../process.ts'
import { startAdmission } from './database-admission.ts'
import { startComparison } from './boot-comparison.ts'
import { openFatal } from './fatal.ts'
import { openExclusiveLock } from './exclusive-lock.ts'
import { jobs, ownSlots, queueOf, type WorkerName } from './job-list.ts'
import { openLocks } from './locks.ts'
import { forgiveLostStarts, type LostStart, writeLostStarts } from './lost-starts.ts'
import { recordRuns } from './maintenance.ts'
import { queueLogger } from './logger.ts'
import { openQueue, type JobPool } from './queue.ts'
import type { Schedule } from './schedule.ts'
import { answerStepRequests } from './steps.ts'
import { startReaper, startSweeper, startWatch, watch } from './repeated-work.ts'
import type { Context, TaskOf } from './task.ts'

// The worker of the machine runs as root, and its jobs are the only ones that change the machine.

export type WorkerOptions = {
  databaseUrl: string
  serverName: string
  /** Operations at once; they wait for the disk and for other processes, not for this one. */
  concurrency: number
  host: Host
  /** Whether websites get certificates; undefined keeps the current setting. */
  isIssuing?: boolean
  observe?: Observe
  schedule?: Schedule
  /** Makes it the only worker of the server; without it, several may share a database. */
  sole?: {
    /** The file for starts that are lost with the connection. */
    lostStartsFile: string
    /** Called if another worker is running. */
    onWait: () => void
  }
}

// For fetching, completing and listening; running jobs use none. Opening a connection costs more
// than hundreds of fetches.
const queueConnections = 6
// Running jobs get this long after a stop. Supervisors may wait less, and the next process resumes
// aborted jobs.
const graceMs = 7_000
// The time other jobs may continue after a process has given up, if it still has its locks.
const drainMs = 1_000
// Attempts are exact: a fetched job has begun.
const settings = { localQueue: { size: -1 }, gracefulShutdownAbortTimeout: graceMs }

/** Starts the worker of the machine: takes the locks, frees orphaned jobs, then opens the queue. */
export async function startWorker(options: WorkerOptions): Promise<Required<Running>> {
  const { databaseUrl, concurrency, host, observe = (_step, work) => work(), sole } = options
  const role = 'panel_worker'
  const queue = queueOf.worker
  const runners: { stop: () => Promise<void> }[] = []
  const { gaveUp, giveUp, loseLocks, orFatal } = openFatal(drainMs, () => {
    for (const runner of runners) void runner.stop().catch(() => undefined)
  })
  const inProgress: Context['inProgress'] = new Map()
  const noteLost = () => {
    if (sole !== undefined) writeLostStarts(sole.lostStartsFile, startsOf(inProgress))
  }
  const locks = await openLocks(databaseUrl, role, error => {
    noteLost()
    loseLocks(error)
  })
  if (sole !== undefined) {
    await orFatal(locks.becomeWorker(sole.onWait))
    await orFatal(forgiveLostStarts(locks.session, sole.lostStartsFile))
  }
  // Two more for repeated work.
  const pool = openPool(databaseUrl, role, concurrency + 2)
  const context: Context = {
    pool,
    locks,
    exclusive: openExclusiveLock(concurrency),
    inProgress,
    host,
    watch: watch(pool, host),
    observe: (step, work) =>
      observe(step, async () => {
        await locks.prove()
        await work()
      }),
    serverName: options.serverName,
    giveUp: (reason, error) => {
      if (isOutage(error)) noteLost()
      return giveUp(reason, error)
    },
  }
  if (options.isIssuing !== undefined) {
    await orFatal(setIssuing(pool, options.isIssuing, host.listServed()))
  }
  const [tasks, ...repeated] = await Promise.all([
    loadTasks('worker', context),
    startReaper(pool, queue),
    startSweeper(pool),
    startWatch(context.watch),
    startAdmission(context),
  ])
  const pools = poolsOf(tasks, options)
  // Fetched and deleted jobs need not wait for the disk: a crash of the server may bring them back,
  // and a job that runs twice finds its rows done.
  const queuePool = openPool(databaseUrl, role, queueConnections, '-c synchronous_commit=off')
  const start = openQueue(queuePool, queue, context, {
    steps_asked: answerStepRequests(pool, context.inProgress),
  })
  runners.push(...(await orFatal(Promise.all(pools.map(start)))))
  await orFatal(locks.showProcess('worker'))
  repeated.push(startComparison(context))
  const stop = async () => {
    await Promise.all(repeated.map(one => one.stop()))
    await Promise.all(runners.map(runner => runner.stop()))
    await locks.close()
    await Promise.all([pool.end(), queuePool.end()])
  }
  let stopped: Promise<void> | undefined
  return { gaveUp, check: () => pool.query('select'), stop: () => (stopped ??= stop()) }
}

// A run of hook scripts is not an operation, and its starts are not counted.
const startsOf = (inProgress: Context['inProgress']): LostStart[] =>
  Array.from(inProgress, ([id, { epoch }]) => ({ id, epoch })).filter(({ id }) => !id.includes(':'))

// Loads only this worker's own tasks: a queue fetches the jobs that it has a task for.
export async function loadTasks<Given extends { pool: Pool }>(
  name: WorkerName,
  given: Given,
): Promise<TaskList> {
  const { tasks } = await getTasks({ logger: queueLogger }, join(installationDir, 'tasks'))
  const own = Object.entries(jobs).filter(([, job]) => job.worker === name)
  return Object.fromEntries(
    own.map(([job]) => {
      const task = tasks[job] as unknown as TaskOf<Given> | undefined
      if (task === undefined) throw new Error(`There is no task file for the job ${job}`)
      const run = isMaintenance(job) ? recordRuns(name, job, task) : task
      return [job, (payload, helpers) => run(payload, helpers, given)]
    }),
  )
}

function poolsOf(tasks: TaskList, { concurrency, schedule }: WorkerOptions): JobPool[] {
  const shared = { ...tasks }
  const apart = Object.entries(ownSlots).flatMap(([name, slots]) => {
    const { [name]: task } = shared
    delete shared[name]
    return task === undefined
      ? []
      : [{ taskList: { [name]: task }, slots, isReported: true, settings }]
  })
  const all = [{ taskList: shared, slots: concurrency, schedule, settings }, ...apart]
  return all.filter(({ taskList }) => Object.keys(taskList).length > 0)
}
