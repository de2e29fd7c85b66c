import { all, type Db, oneFirst } from '../../db.ts'
import type { Task } from './job-tasks.ts'

// Paused tasks, of which no job starts. The rows are read for every job, never cached.

export type PausedTask = { task: Task; paused_at: Date }

/** Returns, for workers, whether jobs of that task may not start now. */
export const isPaused = (db: Db, task: string) => oneFirst<boolean>(db, 'is_paused')`
  select panel.is_paused(${task})`

/** Returns all paused tasks, the longest paused first. */
export const listPaused = (db: Db) => all<PausedTask>(db)`
  select task, paused_at from panel.list_paused_tasks()`

/** Pauses a task; a task that is already paused keeps its time. */
export async function pause(db: Db, task: Task): Promise<PausedTask> {
  return { task, paused_at: await oneFirst<Date>(db)`select panel.pause_task(${task})` }
}

/** Resumes a task: the sweepers wake its jobs within 2 s. Returns false if it was not paused. */
export const resume = (db: Db, task: Task) => oneFirst<boolean>(db)`
  select panel.resume_task(${task})`
