import { all, count, type Db, one, value } from '../db.ts'
import type { Task } from './job-tasks.ts'

// Paused tasks: no job of theirs begins. The rows are read for every job, never cached.

export type PausedTask = { task: Task; paused_at: Date }

/** For workers: whether no job of that task may begin now. */
export const isPaused = (db: Db, task: string) => value<boolean>(db, 'is_paused')`
  select panel.is_paused(${task})`

/** All paused tasks, the longest paused first. */
export const listPaused = (db: Db) => all<PausedTask>(db)`
  select task, paused_at from panel.paused_tasks order by paused_at, task`

/** Pauses a task; one that is paused keeps its time. */
export const pause = (db: Db, task: Task) => one<PausedTask>(db)`
  insert into panel.paused_tasks as p (task) values (${task})
  on conflict (task) do update set paused_at = p.paused_at
  returning task, paused_at`

/** Resumes a task: the sweepers wake its jobs within 2 s. False if it was not paused. */
export const resume = async (db: Db, task: Task): Promise<boolean> =>
  (await count(db)`delete from panel.paused_tasks where task = ${task}`) === 1
