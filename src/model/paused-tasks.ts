import type { Db } from '../db.ts'
import type { Task } from './job-tasks.ts'

// Tasks of which nothing begins. Whoever begins something asks the row; nobody remembers it.

export type PausedTask = { task: Task; paused_at: Date }

/** Whether nothing of that task may begin now; for workers. */
export async function isPaused(db: Db, task: string): Promise<boolean> {
  const { rows } = await db.query<{ paused: boolean }>({
    name: 'is_paused',
    text: 'select panel.is_paused($1) as paused',
    values: [task],
  })
  return rows[0]?.paused === true
}

/** All of them, the one first that was paused first. */
export async function listPaused(db: Db): Promise<PausedTask[]> {
  const { rows } = await db.query<PausedTask>(
    'select task, paused_at from panel.paused_tasks order by paused_at, task',
  )
  return rows
}

/** Pauses a task, from this moment on; one that is paused already stays so. */
export async function pause(db: Db, task: Task): Promise<PausedTask> {
  const { rows } = await db.query<PausedTask>(
    `insert into panel.paused_tasks as p (task) values ($1)
     on conflict (task) do update set paused_at = p.paused_at
     returning task, paused_at`,
    [task],
  )
  return rows[0]!
}

/** Lets a task begin again: within 2 s the sweepers wake what has waited. False where it did. */
export async function resume(db: Db, task: Task): Promise<boolean> {
  const { rowCount } = await db.query('delete from panel.paused_tasks where task = $1', [task])
  return rowCount === 1
}
