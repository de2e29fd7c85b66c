import { setTimeout as sleep } from 'node:timers/promises'
import { anyFirst, type Db, openPool } from '../../db.ts'
import { run } from '../../host/tools/run.ts'
import { maintenanceTasks, type Task, tasks } from '../../model/jobs/job-tasks.ts'
import { listPaused, pause, resume } from '../../model/jobs/paused-tasks.ts'
import { installedUrl } from '../settings.ts'

const timeoutMs = 60_000
const pollMs = 25
const stopped = ['panel-worker', 'panel-courier']

// The queue's own maintenance stops first, so that requests wait only for operations.
const turns: readonly (readonly Task[])[] = [
  maintenanceTasks,
  tasks.filter(task => task !== 'webhook/deliver' && !maintenanceTasks.some(one => one === task)),
]

/**
 * Starts nothing new, waits for operations in progress, and stops worker and courier. New requests
 * wait. Returns what had not ended in time; it continues afterwards.
 *
 * @param note receives the tasks before they are paused
 */
export async function drain(note: (paused: Task[]) => Promise<void>): Promise<string | undefined> {
  const db = openPool(installedUrl(), 'panel_owner', 1)
  try {
    const before = (await listPaused(db)).map(({ task }) => task)
    const own = turns.flat().filter(task => !before.includes(task))
    await note(own)
    const end = Date.now() + timeoutMs
    let left: string[] = []
    for (const turn of turns) {
      for (const task of turn) if (own.includes(task)) await pause(db, task)
      do {
        left = await listInProgress(db, turn)
      } while (left.length > 0 && Date.now() < end && (await sleep(pollMs, true)))
    }
    await run('systemctl', ['stop', '--', ...stopped.map(name => `${name}.service`)], {
      timeoutMs: 60_000,
    })
    await resumeAll(db, own)
    if (left.length === 0) return undefined
    return `Still running after ${timeoutMs / 1_000} s, continued afterwards: ${left.join(', ')}`
  } finally {
    await db.end()
  }
}

const listInProgress = (db: Db, names: readonly Task[]) => anyFirst<string>(db)`
  select name from panel.operations
  where state in ('running', 'undoing') and name = any (${names})
  union all
  select task_identifier from worker_queue.jobs
  where locked_at is not null and task_identifier = any (${names})`

/** Resumes the tasks that were paused for an update. */
export async function resumeAll(db: Db, names: readonly string[]): Promise<void> {
  for (const task of tasks) if (names.includes(task)) await resume(db, task)
}
