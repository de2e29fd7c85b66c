import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal, type PanelError } from '../errors.ts'
import { log } from '../log.ts'
import type { Event } from '../model/events/events.ts'
import type { TaskName } from '../model/operations/operation-names.ts'
import * as operations from '../model/operations/operations.ts'
import { refusal } from '../model/operations/writes.ts'
import { jobs } from './job-list.ts'
import type { Definition, Done, Run } from './operation-types.ts'
import { retryOrExit } from './retry-or-exit.ts'
import { timeSteps } from './steps.ts'
import type { Context, Task } from './task.ts'
import { toWords, undo } from './undo.ts'

// Runs an operation: start; do; one transaction that records everything. Or: undo; one transaction
// that releases the key. It never throws to the queue: the row states what is due.

/** After this many interrupted starts an operation runs alone: it may be what ends the worker. */
const startsBeside = 3
/** After this many starts it is undone instead. */
const startsAtAll = 6

// The time until a locked lane is checked again.
const timeoutMs = 25

// Longer than all steps of any operation together; beyond it the process is stuck, not slow.
const totalLimitMs = 300_000

/** Defines the operation of a task file, as its default export. */
export const operation =
  (name: TaskName, definition: Definition): Task =>
  async (payload, _helpers, context) => {
    const { operationId: id } = jobs[name].payload.parse(payload)
    const giveUp = () => context.giveUp('an operation is stuck', new Error(`${name} ${id}`))
    const limit = setTimeout(giveUp, totalLimitMs)
    try {
      // Advisory locks are re-entrant within a session, so the process itself prevents running an
      // operation twice.
      while (context.inProgress.has(id)) await sleep(timeoutMs)
      context.inProgress.set(id, { epoch: 0, soFar: () => [] })
      const started = await start(context, definition.subject, id)
      if (started === undefined) return
      const isAlone = started.starts > startsBeside
      const begunAt = performance.now()
      const { steps, soFar, observe } = timeSteps(context.observe)
      context.inProgress.set(id, { epoch: started.epoch, soFar })
      const run = { context: { ...context, observe }, definition, started, steps }
      await context.exclusive(isAlone, () => take(run))
      log.info('operation run', {
        operation: id,
        name,
        account: started.username ?? undefined,
        start: started.starts,
        ms: Math.round(performance.now() - begunAt),
      })
      if (started.lane !== null) context.locks.giveBack([started.lane])
    } catch (error) {
      // Thrown to the queue, it would wait in the queue's own back-off.
      await context.giveUp('an operation threw an error', error)
    } finally {
      context.inProgress.delete(id)
      clearTimeout(limit)
    }
  }

// Waits for the lane while another process changes the machine for it.
async function start(
  context: Context,
  subject: operations.Subject | null,
  id: string,
): Promise<operations.Started | undefined> {
  for (;;) {
    const { session } = context.locks
    const started = await retryOrExit(context, id, () => operations.start(session, subject, id))
    if (started !== 'busy') return started
    await sleep(timeoutMs)
  }
}

// Does or undoes the work, as the row states.
async function take(run: Run): Promise<void> {
  const { state, starts } = run.started
  // The row has the cause.
  if (state === 'undoing') return undo(run, undefined, null)
  const isTooOften = starts > startsAtAll && run.definition.undo !== 'only forward'
  if (isTooOften) return fail(run, new Error(`Interrupted ${startsAtAll} times`))
  return perform(run)
}

async function perform(run: Run): Promise<void> {
  const { context, definition } = run
  const { host, serverName: server } = context
  let done: Done
  let events: Event[]
  try {
    done = await definition.work(run)
    const time = done.changedAt ?? new Date()
    events = done.events.map(announcement => announcement({ server, time }))
  } catch (error) {
    return isRefusal(error) ? refuse(run, error) : fail(run, error)
  }
  await finish(run, {
    status: done.status,
    body: Buffer.from(JSON.stringify(done.answer)),
    location: done.location ?? null,
    reason: null,
    field: null,
    change: done.change,
    events,
    // Checked after the change: a script may have been installed meanwhile.
    scripted: events.map(({ name }) => name).filter(host.hasScripts),
  })
}

async function finish(run: Run, result: Omit<operations.Result, 'steps'>): Promise<void> {
  const { context, definition, started, steps } = run
  await retryOrExit(context, started.id, () =>
    operations.finish(context.pool, definition.subject, started, { ...result, steps }),
  )
}

async function fail(run: Run, error: unknown): Promise<void> {
  const { context, definition, started } = run
  log.error('operation failed', error, { operation: started.id })
  if (definition.undo !== 'only forward') return undo(run, error, null)
  await retryOrExit(context, started.id, () =>
    operations.defer(context.pool, started, toWords(error), run.steps),
  )
}

// Refuses an operation. Its changes are undone as after a failure, but the answer is kept. One that
// only goes forward is refused before it changes anything.
async function refuse(run: Run, error: PanelError): Promise<void> {
  const answer = refusal(error)
  if (run.definition.undo !== 'only forward') return undo(run, error, answer)
  await finish(run, { ...answer, change: null, events: [], scripted: [] })
}
