import { openPool } from '../db.ts'
import { isRestorePaused, untilReleased } from '../model/server/restore-pause.ts'
import type { Authority } from '../model/certificates/authority.ts'
import type { CheckMailDomain } from '../model/mail/mail-checks.ts'
import type { Outside } from '../model/events/outside.ts'
import { openSigner } from '../model/events/webhooks.ts'
import type { Running } from '../process.ts'
import { openDeliveries } from './batched-deliveries.ts'
import { startDeliverySweeper } from './sweeper.ts'
import type { Courier, ObserveStep } from './task.ts'
import { openFatal } from '../queue/fatal.ts'
import { queueOf } from '../queue/job-list.ts'
import { openOwnMail, type OwnMailOptions } from './own-mail.ts'
import { openLanes } from './lanes.ts'
import { openLocks } from '../queue/locks.ts'
import { openQueue } from '../queue/queue.ts'
import type { Schedule } from '../queue/schedule.ts'
import { startReaper } from '../queue/repeated-work.ts'
import { loadTasks } from '../queue/worker.ts'

// A courier mostly waits for receivers, hundreds at a time, so it fetches many jobs at once. The
// worker of the machine must not, because its jobs may not run twice; a repeated delivery is
// harmless. Any number of couriers may run, and all are crash-only.

export type CourierOptions = {
  databaseUrl: string
  outside: Outside
  /** The key that decrypts the secrets of webhooks. */
  secretsKey: Buffer
  userAgent: string
  /** Null if this server orders no certificates for its websites. */
  authority: Authority | null
  checkMailDomain: CheckMailDomain
  /** The parts of mails: the key of the relay's password, and the panel's own name and address. */
  ownMail: OwnMailOptions & { baseUrl: string; version: string }
  findRelease?: Courier['findRelease']
  /** Called before it waits for the release of a restored server. */
  onPaused?: () => void
  observe?: ObserveStep
  schedule?: Schedule
}

// Attempts in flight, and jobs about to be blocked. Receivers that hang leave some of the slots
// free, however many retries are due to them (lanes.ts).
const slots = 1_024
// Many deliveries share statements, so a few connections are enough.
const connections = 10
// For fetching, completing and listening.
const queueConnections = 6
// A queue is empty for hours and full a moment later. A cached plan would be one for no rows, and
// takes longer than the statement timeout once there are thousands. Each row is found through an
// index, so a scan of the table is never better.
export const planned = '-c plan_cache_mode=force_custom_plan -c enable_seqscan=off'
// Attempts that end within it are recorded before a stop; the next courier repeats the others.
const timeoutMs = 3_000
// The time in which a process that gives up may still record outcomes.
const drainMs = 1_000

/** Starts a courier: takes the locks, frees orphaned jobs, then opens the queue. */
export async function startCourier(options: CourierOptions): Promise<Required<Running>> {
  const { databaseUrl } = options
  const role = 'panel_courier'
  const queue = queueOf.courier
  const [stopping, abandoned] = [new AbortController(), new AbortController()]
  // From here on it begins nothing more; ended attempts may still be recorded within the drain.
  const { gaveUp, giveUp, loseLocks, orFatal } = openFatal(drainMs, () => stopping.abort())
  const pool = openPool(databaseUrl, role, connections, planned)
  const locks = await openLocks(databaseUrl, role, loseLocks)
  const courier: Courier = {
    pool,
    outside: options.outside,
    lanes: openLanes(slots),
    deliveries: openDeliveries(pool, giveUp),
    sign: openSigner(options.secretsKey),
    userAgent: options.userAgent,
    authority: options.authority,
    checkMailDomain: options.checkMailDomain,
    findRelease: options.findRelease ?? null,
    sendMail: openOwnMail(pool, options.ownMail),
    ...options.ownMail,
    stopping: stopping.signal,
    abandoned: abandoned.signal,
    observe: options.observe ?? ((_step, work) => work()),
    giveUp,
  }
  // A restored server sends nothing before its release, but its courier counts as running.
  await orFatal(locks.showProcess('courier'))
  if (await orFatal(isRestorePaused(pool))) {
    options.onPaused?.()
    await orFatal(untilReleased(pool, stopping.signal))
  }
  const reaper = await startReaper(pool, queue)
  // Fetched and deleted jobs need not wait for the disk: a crash of the server may bring them back,
  // and a job that runs twice finds its rows done.
  const lax = `${planned} -c synchronous_commit=off`
  const queuePool = openPool(databaseUrl, role, queueConnections, lax)
  const taskList = await loadTasks('courier', courier)
  const start = openQueue(queuePool, queue, { locks, giveUp })
  const settings = { localQueue: { size: slots } }
  const runner = await orFatal(start({ taskList, slots, schedule: options.schedule, settings }))
  const sweeper = await startDeliverySweeper(pool, courier.lanes, runner.nudge)

  const stop = async () => {
    stopping.abort()
    await Promise.all([reaper.stop(), sweeper.stop()])
    setTimeout(() => abandoned.abort(), timeoutMs).unref()
    await runner.stop()
    await locks.close()
    await Promise.all([pool.end(), queuePool.end()])
  }
  let stopped: Promise<void> | undefined
  return { gaveUp, check: () => pool.query('select'), stop: () => (stopped ??= stop()) }
}
