import type { Db } from '../db.ts'
import type { Task } from './job-tasks.ts'

// Paused tasks: no job of theirs begins. The rows are read for every job, never cached.

export type PausedTask = { task: Task; paused_at: Date }

/** For workers: whether no job of that task may begin now. */
export async function isPaused(db: Db, task: string): Promise<boolean> {
  const { rows } = await db.query<{ paused: boolean }>({
    name: 'is_paused',
    text: 'select panel.is_paused($1) as paused',
    values: [task],
  })
  return rows[0]?.paused === true
}

/** All paused tasks, the longest paused first. */
export async function listPaused(db: Db): Promise<PausedTask[]> {
  const { rows } = await db.query<PausedTask>(
    'select task, paused_at from panel.paused_tasks order by paused_at, task',
  )
  return rows
}

/** Pauses a task; one that is paused keeps its time. */
export async function pause(db: Db, task: Task): Promise<PausedTask> {
  const { rows } = await db.query<PausedTask>(
    `insert into panel.paused_tasks as p (task) values ($1)
     on conflict (task) do update set paused_at = p.paused_at
     returning task, paused_at`,
    [task],
  )
  return rows[0]!
}

/** Resumes a task: the sweepers wake its jobs within 2 s. False if it was not paused. */
export async function resume(db: Db, task: Task): Promise<boolean> {
  const { rowCount } = await db.query('delete from panel.paused_tasks where task = $1', [task])
  return rowCount === 1
}
