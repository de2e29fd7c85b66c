import { listPaused } from '../../model/jobs/paused-tasks.ts'
import * as health from '../../model/jobs/queue-health.ts'
import { minute } from '../times.ts'
import { type Checks, count, duration, failure, list, warning, well } from './check.ts'

// Ten times as long as the slowest operation takes on an idle server.
const slowSeconds = 600
// Jobs that are due are fetched within a second; half a minute covers a busy server.
const lateSeconds = 60
// The sweeper and the reaper come by every 2 s.
const upkeepSeconds = 30

/** The queues, and the operations that they execute. */
export const queueChecks: Checks = {
  async paused({ db }) {
    const paused = await listPaused(await db())
    if (paused.length === 0) return well('No task is paused')
    const names = paused.map(({ task, paused_at }) => `${task} since ${minute(paused_at)}`)
    const words = `Paused, so that nothing of it begins: ${list(names)}`
    return warning(words, `panel jobs resume ${paused[0]?.task}, and so on`)
  },
  async 'failed-jobs'({ db }) {
    const failed = await health.listFailedJobs(await db())
    if (failed.length === 0) return well('No job has failed for good')
    const words = `${count(failed.length, 'job')} failed for good: ${list(failed)}`
    return warning(words, 'panel jobs show tells why, panel jobs retry tries again')
  },
  async 'late-jobs'({ db }) {
    const seconds = await health.oldestDueJob(await db())
    if (seconds < lateSeconds) return well('Jobs are fetched when they are due')
    const words = `A job is due for ${duration(seconds)} and nobody has fetched it`
    return failure(words, 'See that worker and courier are up, and what panel jobs ls shows')
  },
  async 'dead-workers'({ db }) {
    const held = await health.listOrphanedJobs(await db(), upkeepSeconds)
    if (held.length === 0) return well('Every job that is held has a worker that lives')
    const words = `Workers that have died hold ${count(held.length, 'job')}: ${list(held)}`
    return failure(words, 'Start the worker, which frees them')
  },
  async 'slow-jobs'({ db }) {
    const slow = await health.listSlowJobs(await db(), slowSeconds)
    if (slow.length === 0) return well('No job runs for long')
    const words = `Jobs run for over ${duration(slowSeconds)}: ${list(slow)}`
    return warning(words, 'panel jobs show tells what they are at')
  },
  async 'old-operations'({ db }) {
    const old = await health.listOldOperations(await db(), slowSeconds)
    if (old.length === 0) return well('No operation waits for long')
    const words = `Begun over ${duration(slowSeconds)} ago and not done: ${list(old)}`
    return warning(words, 'panel jobs show tells the step; the log of the worker says more')
  },
  async 'interrupted-operations'({ db }) {
    const often = await health.listInterrupted(await db())
    if (often.length === 0) return well('No operation was interrupted again and again')
    const words = `Interrupted 3 times or more: ${list(often)}`
    return warning(words, 'The log of the worker says what ends it; after 6 times it is undone')
  },
  async 'blocked-operations'({ db }) {
    const blocked = await health.listBlockedByNothing(await db(), upkeepSeconds)
    if (blocked.length === 0) return well('Nothing is blocked behind nothing')
    const words = `Parked although nothing is before them: ${list(blocked)}`
    return failure(words, 'Start the worker, whose sweeper promotes them')
  },
  async 'failed-operations'({ db }) {
    const failed = await health.listFailedOperations(await db())
    if (failed.length === 0) return well('No operation failed in the last day')
    const words = `Failed in the last day: ${list(failed)}`
    return warning(words, 'panel jobs show tells the error; the caller may repeat the request')
  },
  async schedule({ db }) {
    const missed = await health.listMissedTurns(await db())
    if (missed.length === 0) return well('What the worker does by the clock was done')
    const words = `Not done for too long: ${list(missed)}`
    return warning(words, 'See that the worker is up; its log names turns that fail')
  },
  async 'hook-scripts'({ db }) {
    const failed = await health.listFailedScripts(await db())
    if (failed.length === 0) return well('No hook script failed in the last day')
    const words = `Hook scripts that did not succeed in the last day: ${list(failed)}`
    return warning(
      words,
      'panel jobs ls --task hook/run --state failed, then panel jobs show and retry',
    )
  },
}
