import { z } from 'zod'
import type { Db } from '../db.ts'
import { eventName } from './events.ts'
import type { ScriptEnd, ScriptProcess } from './host.ts'

// The hook scripts of one event. The transitions of a run are in sql/functions; its scripts are
// recorded here, always under the epoch of the start that ran them.

const RecordedScript = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  /** Null while it runs, or where the worker died meanwhile. */
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
 * What the machine gets of a started run. Root trusts no row: the event becomes a folder, the mark
 * an environment variable, and a leader is killed.
 */
export const HookRun = z.strictObject({
  eventId: z.string(),
  epoch: z.int(),
  event: eventName,
  /** The bytes that a webhook sends too. */
  body: z.instanceof(Buffer),
  /** PANEL_EVENT_ID. */
  mark: z.uuid(),
  scripts: z.array(RecordedScript),
})
export type HookRun = z.infer<typeof HookRun>
export type RecordedScript = z.infer<typeof RecordedScript>

/** One start of an event's scripts, as its rows are, not parsed yet. */
export type Started = { eventId: string; epoch: number } & Record<string, unknown>

/** Starts or resumes an event's scripts; undefined if they have run or must wait. */
export async function start(db: Db, eventId: string): Promise<Started | undefined> {
  const { rows } = await db.query<Started>({
    name: 'start_hook_run',
    text: `select $1::text as "eventId", epoch, event, body, mark, scripts
           from panel.start_hook_run($1::text::bigint)`,
    values: [eventId],
  })
  return rows[0]
}

type Start = Pick<HookRun, 'eventId' | 'epoch'>

/** Ends a run, after which the account's next one may start. False if a later start has the run. */
export async function finish(
  db: Db,
  { eventId, epoch }: Start,
  error: string | null,
): Promise<boolean> {
  const { rows } = await db.query<{ isDone: boolean }>({
    name: 'finish_hook_run',
    text: 'select panel.finish_hook_run($1, $2, $3) as "isDone"',
    values: [eventId, epoch, error],
  })
  return rows[0]?.isDone === true
}

/** A script that is about to run, or is refused. */
export type ScriptRun = { id: string; name: string; path: string; refusal: string | null }

/** Records that a script starts now, or was refused. False if a later start has the run. */
export async function record(
  db: Db,
  { eventId, epoch }: Start,
  { id, name, path, refusal }: ScriptRun,
): Promise<boolean> {
  return isOurs(db, {
    name: 'record_script_run',
    text: `with ours as (${oursText}), recorded as (
             insert into panel.script_runs (id, event_id, name, path, outcome, reason)
             select $3, ours.event_id, $4, $5, case when $6::text is not null then 'refused' end, $6
             from ours
             on conflict (id) do nothing
           )
           select from ours`,
    values: [eventId, epoch, id, name, path, refusal],
  })
}

export async function recordLeader(db: Db, id: string, leader: ScriptProcess): Promise<void> {
  await db.query({
    name: 'record_script_leader',
    text: 'update panel.script_runs set leader = $2 where id = $1 and outcome is null',
    values: [id, leader],
  })
}

/** Records how a script has ended. False if a later start has the run. */
export async function finishScript(
  db: Db,
  { eventId, epoch }: Start,
  id: string,
  { outcome, reason, exitCode, signal, stdout, stderr, durationMs }: ScriptEnd,
): Promise<boolean> {
  return isOurs(db, {
    name: 'finish_script_run',
    text: `with ours as (${oursText}), finished as (
             update panel.script_runs s
             set outcome = $4, reason = $5, exit_code = $6, signal = $7, stdout = $8, stderr = $9,
               duration_ms = $10
             from ours
             where s.id = $3 and s.event_id = ours.event_id and s.outcome is null
           )
           select from ours`,
    values: [eventId, epoch, id, outcome, reason, exitCode, signal, stdout, stderr, durationMs],
  })
}

/**
 * Records that a script was running when its worker died. It may run again, unless a reason is
 * given. False if a later start has the run.
 */
export async function interrupt(
  db: Db,
  { eventId, epoch }: Start,
  id: string,
  reason: string | null,
): Promise<boolean> {
  return isOurs(db, {
    name: 'interrupt_script_run',
    text: `with ours as (${oursText}), interrupted as (
             update panel.script_runs s
             set outcome = case when $4::text is null then 'interrupted' else 'failed' end,
               reason = $4
             from ours
             where s.id = $3 and s.event_id = ours.event_id and s.outcome is null
           )
           select from ours`,
    values: [eventId, epoch, id, reason],
  })
}

// Repeated after a lost answer, these statements change nothing, but still return whose run it is.
const oursText = 'select $1::bigint as event_id where panel.hold_hook_run($1, $2)'

async function isOurs(
  db: Db,
  query: { name: string; text: string; values: unknown[] },
): Promise<boolean> {
  const { rowCount } = await db.query(query)
  return rowCount === 1
}
