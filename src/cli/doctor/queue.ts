import { listPaused } from '../../model/jobs/paused-tasks.ts'
import * as health from '../../model/jobs/queue-health.ts'
import { minute } from '../times.ts'
import { type Checks, fixedBy, count, duration, failure, list, warning, well } from './check.ts'

// Ten times as long as the slowest operation takes on an idle server.
const slowSeconds = 600
// Jobs that are due are fetched within a second; half a minute covers a busy server.
const lateSeconds = 60
// The sweeper and the reaper come by every 2 s.
const graceSeconds = 30

/** The queues, and the operations that they execute. */
export const queueChecks: Checks = {
  async paused({ db }) {
    const paused = await listPaused(await db())
    if (paused.length === 0) return well('No task is paused')
    const names = paused.map(({ task, paused_at }) => `${task} since ${minute(paused_at)}`)
    const words = `Paused tasks: ${list(names)}`
    const advice = `panel jobs resume ${paused[0]?.task}, and so on`
    return fixedBy(warning(words, advice), { do: 'view', page: 'paused-tasks' })
  },
  async 'failed-jobs'({ db }) {
    const failed = await health.listFailedJobs(await db())
    if (failed.length === 0) return well('No job has failed for good')
    const words = `${count(failed.length, 'job')} failed for good: ${list(failed)}`
    const advice = 'panel jobs show says why, panel jobs retry runs them again'
    return fixedBy(warning(words, advice), { do: 'view', page: 'failed-jobs' })
  },
  async 'late-jobs'({ db }) {
    const seconds = await health.oldestDueJob(await db())
    if (seconds < lateSeconds) return well('Jobs start when they are due')
    const words = `A job has been due for ${duration(seconds)} and has not started`
    return failure(words, 'Make sure that worker and courier are running, and see panel jobs ls')
  },
  async 'dead-workers'({ db }) {
    const jobs = await health.listOrphanedJobs(await db(), graceSeconds)
    if (jobs.length === 0) return well('Every locked job has a live worker')
    const words = `Workers that have died still lock ${count(jobs.length, 'job')}: ${list(jobs)}`
    return failure(words, 'Start the worker to free them')
  },
  async 'slow-jobs'({ db }) {
    const slow = await health.listSlowJobs(await db(), slowSeconds)
    if (slow.length === 0) return well('No job has been running for long')
    const words = `Jobs have been running for over ${duration(slowSeconds)}: ${list(slow)}`
    return warning(words, 'panel jobs show says what they are doing')
  },
  async 'old-operations'({ db }) {
    const old = await health.listOldOperations(await db(), slowSeconds)
    if (old.length === 0) return well('No operation has been waiting for long')
    const words = `Started over ${duration(slowSeconds)} ago and not finished: ${list(old)}`
    return warning(words, "panel jobs show names the step; see also the worker's log")
  },
  async 'interrupted-operations'({ db }) {
    const often = await health.listInterrupted(await db())
    if (often.length === 0) return well('No operation was interrupted repeatedly')
    const words = `Interrupted 3 times or more: ${list(often)}`
    return warning(words, "The worker's log says why; after 6 interruptions it is undone")
  },
  async 'blocked-operations'({ db }) {
    const blocked = await health.listBlockedByNothing(await db(), graceSeconds)
    if (blocked.length === 0) return well('Every blocked operation waits for another one')
    const words = `Operations are blocked although nothing is ahead of them: ${list(blocked)}`
    return failure(words, 'Start the worker, which queues them')
  },
  async 'failed-operations'({ db }) {
    const failed = await health.listFailedOperations(await db())
    if (failed.length === 0) return well('No operation failed in the last day')
    const words = `Failed in the last day: ${list(failed)}`
    const advice = 'panel jobs show names the error; the caller can repeat the request'
    return fixedBy(warning(words, advice), { do: 'view', page: 'failed-jobs' })
  },
  async schedule({ db }) {
    const missed = await health.listMissedTurns(await db())
    if (missed.length === 0) return well('Scheduled maintenance has run')
    const words = `Scheduled maintenance is overdue: ${list(missed)}`
    return warning(words, 'Make sure that the worker is running; its log names runs that failed')
  },
  async 'hook-scripts'({ db }) {
    const failed = await health.listFailedScripts(await db())
    if (failed.length === 0) return well('No hook script failed in the last day')
    const words = `Hook scripts failed in the last day: ${list(failed)}`
    const advice =
      'Run panel jobs ls --task hook/run --state failed, then panel jobs show and retry'
    return fixedBy(warning(words, advice), { do: 'view', page: 'failed-hook-runs' })
  },
}
