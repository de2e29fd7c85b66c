import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '../../src/log.ts'
import type { Script } from '../../src/model/server/host.ts'
import * as hookRuns from '../../src/model/events/hook-runs.ts'
import { jobs } from '../../src/queue/job-list.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'
import type { Context, Task } from '../../src/queue/task.ts'
import { toWords } from '../../src/queue/undo.ts'

// Runs the scripts of one event, one after the other. Recorded scripts have run: after a worker was
// killed, the interrupted one runs again, and then the others. The rest runs even if one fails or
// is refused.
const runHooks: Task = async (payload, helpers, context) => {
  const { eventId } = jobs['hook/run'].payload.parse(payload)
  const key = `hook:${eventId}`
  // The queue may fetch the same job twice; a script may not run in parallel with itself.
  while (context.inProgress.has(key)) await sleep(timeoutMs)
  context.inProgress.set(key, { epoch: 0, soFar: () => [] })
  try {
    const started = await retryOrExit(context, key, () => hookRuns.start(context.pool, eventId))
    if (started === undefined) return
    const end = await attempt(started, context, helpers.abortSignal)
    if (end === 'left') return
    await retryOrExit(context, key, () => hookRuns.finish(context.pool, started, end.error))
  } finally {
    context.inProgress.delete(key)
  }
}

export default runHooks

const timeoutMs = 25

type Run = hookRuns.HookRun & { context: Context; signal: AbortSignal }

// An error outside of the scripts ends the run: it would recur, and must not end the worker.
async function attempt(
  started: hookRuns.Started,
  context: Context,
  signal: AbortSignal,
): Promise<'left' | { error: string | null }> {
  try {
    const run = hookRuns.HookRun.parse(started)
    return (await runAll({ ...run, context, signal })) ? { error: null } : 'left'
  } catch (error) {
    log.error('hook run failed', error, { event: started.eventId })
    return { error: toWords(error) }
  }
}

// A script that ends the worker is given up after this many interruptions.
const maxInterruptions = 6

// Returns false if a later start, of this or another worker, runs the rest.
async function runAll(run: Run): Promise<boolean> {
  const ended = new Set<string>()
  const interruptions = new Map<string, number>()
  for (const script of run.scripts) {
    const outcome = script.outcome ?? (await endInterrupted(run, script))
    if (outcome === 'lost') return false
    if (outcome !== 'interrupted') ended.add(script.name)
    else interruptions.set(script.name, (interruptions.get(script.name) ?? 0) + 1)
  }
  for (const script of run.context.host.findScripts(run.event)) {
    if (run.signal.aborted) return false
    if (ended.has(script.name)) continue
    const isTooOften = (interruptions.get(script.name) ?? 0) >= maxInterruptions
    const refusal = isTooOften
      ? `The worker ended while it ran, ${maxInterruptions} times`
      : script.refusal
    if (!(await runOne(run, { ...script, refusal }))) return false
  }
  return true
}

// Ends every process of the interrupted run before the script runs again.
async function endInterrupted(
  run: Run,
  { id, name, leader }: hookRuns.RecordedScript,
): Promise<'interrupted' | 'failed' | 'lost'> {
  const { context, event, mark } = run
  let reason: string | null = null
  try {
    await context.host.endScript(mark, leader)
  } catch (error) {
    log.error('hook script cannot run again', error, { event, script: name })
    reason = toWords(error)
  }
  const isOurs = await write(run, () => hookRuns.interrupt(context.pool, run, id, reason))
  if (!isOurs) return 'lost'
  return reason === null ? 'interrupted' : 'failed'
}

async function runOne(run: Run, script: Script): Promise<boolean> {
  const { context, event, mark, body, signal } = run
  const id = randomUUID()
  if (!(await write(run, () => hookRuns.record(context.pool, run, { id, ...script })))) return false
  if (script.refusal !== null) {
    log.info('hook script refused', { event, script: script.name, reason: script.refusal })
    return true
  }
  const end = await context.host.runScript({
    ...{ path: script.path, event, mark, body, signal },
    onStarted: leader => write(run, () => hookRuns.recordLeader(context.pool, id, leader)),
  })
  if (end === undefined) return false
  if (end.outcome !== 'succeeded') {
    log.info('hook script failed', { event, script: script.name, reason: end.reason })
  }
  return write(run, () => hookRuns.finishScript(context.pool, run, id, end))
}

const write = <T>({ context, eventId }: Run, statement: () => Promise<T>): Promise<T> =>
  retryOrExit(context, `hook:${eventId}`, statement)
