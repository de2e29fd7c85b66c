import { z } from 'zod'
import { type Db, maybeOne, run, sql, type Sql, oneFirst } from '../../db.ts'
import { eventName } from './events.ts'
import type { ScriptEnd, ScriptProcess } from '../server/host.ts'

// The hook scripts of one event. The transitions of a run are in sql/functions; its scripts are
// recorded here, always under the epoch of the start that runs them.

const RecordedScript = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  /** Null while it runs, or if the worker died meanwhile. */
  outcome: z.enum(['succeeded', 'failed', 'timed_out', 'refused', 'interrupted']).nullable(),
  leader: z
    .strictObject({
      pid: z.int().min(2),
      startedTicks: z.string().regex(/^[0-9]{1,20}$/),
      bootId: z.uuid(),
    })
    .nullable(),
})

/**
 * A started run for the machine. Root does not trust rows: the event becomes a folder name, the
 * mark an environment variable, and a leader process is killed.
 */
export const HookRun = z.strictObject({
  eventId: z.string(),
  epoch: z.int(),
  event: eventName,
  /** The bytes that webhooks send. */
  body: z.instanceof(Buffer),
  /** The value of PANEL_EVENT_ID. */
  mark: z.uuid(),
  scripts: z.array(RecordedScript),
})
export type HookRun = z.infer<typeof HookRun>
export type RecordedScript = z.infer<typeof RecordedScript>

/** The rows of one start of an event's scripts, not parsed yet. */
export type Started = { eventId: string; epoch: number } & Record<string, unknown>

/** Starts or resumes an event's scripts; undefined if they have run or must wait. */
export const start = (db: Db, eventId: string) => maybeOne<Started>(db, 'start_hook_run')`
  select ${eventId}::text as "eventId", epoch, event, body, mark, scripts
  from panel.start_hook_run(${eventId}::text::bigint)`

type Start = Pick<HookRun, 'eventId' | 'epoch'>

/**
 * Ends a run, after which the account's next one may start. Returns false if a later start has
 * taken over.
 */
export const finish = (db: Db, { eventId, epoch }: Start, error: string | null) =>
  oneFirst<boolean>(db, 'finish_hook_run')`
    select panel.finish_hook_run(${eventId}, ${epoch}, ${error})`

/** A script that is about to run, or is refused. */
export type ScriptRun = { id: string; name: string; path: string; refusal: string | null }

/**
 * Records that a script starts now, or was refused. Returns false if a later start has taken over.
 */
export const record = (db: Db, start: Start, { id, name, path, refusal }: ScriptRun) =>
  oneFirst<boolean>(db, 'record_script_run')`
    with ours as (${ours(start)}), recorded as (
      insert into panel.script_runs (id, event_id, name, path, outcome, reason)
      select ${id}, ours.event_id, ${name}, ${path},
        case when ${refusal}::text is not null then 'refused' end, ${refusal}
      from ours
      on conflict (id) do nothing
    )
    select exists (select from ours)`

export const recordLeader = (db: Db, id: string, leader: ScriptProcess) =>
  run(db, 'record_script_leader')`
    update panel.script_runs set leader = ${leader} where id = ${id} and outcome is null`

/** Records how a script ended. Returns false if a later start has taken over. */
export const finishScript = (db: Db, start: Start, id: string, end: ScriptEnd) =>
  oneFirst<boolean>(db, 'finish_script_run')`
    with ours as (${ours(start)}), finished as (
      update panel.script_runs s
      set outcome = ${end.outcome}, reason = ${end.reason}, exit_code = ${end.exitCode},
        signal = ${end.signal}, stdout = ${end.stdout}, stderr = ${end.stderr},
        duration_ms = ${end.durationMs}
      from ours
      where s.id = ${id} and s.event_id = ours.event_id and s.outcome is null
    )
    select exists (select from ours)`

/**
 * Records that a script was running when its worker died. It may run again, unless a reason is
 * given. Returns false if a later start has taken over.
 */
export const interrupt = (db: Db, start: Start, id: string, reason: string | null) =>
  oneFirst<boolean>(db, 'interrupt_script_run')`
    with ours as (${ours(start)}), interrupted as (
      update panel.script_runs s
      set outcome = case when ${reason}::text is null then 'interrupted' else 'failed' end,
        reason = ${reason}
      from ours
      where s.id = ${id} and s.event_id = ours.event_id and s.outcome is null
    )
    select exists (select from ours)`

// Selects a run if it still belongs to this start. Repeated after a lost answer, these statements
// change nothing but return the same.
const ours = ({ eventId, epoch }: Start): Sql => sql`
  select ${eventId}::bigint as event_id where panel.keep_hook_run_epoch(${eventId}, ${epoch})`
