import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '../../log.ts'
import type { ScriptEnd, ScriptStart } from '../../model/server/host.ts'
import { hasMembers, identify } from './process-group.ts'
import { launch } from '../tools/run.ts'

// Runs an untrusted program: it may not read its input, write endlessly, hang, ignore signals, or
// leave processes behind. It costs only its own time.

export type ScriptLimits = {
  /** After this time its process group gets SIGTERM. */
  timeoutMs: number
  /** After this additional time the group is killed. */
  graceMs: number
  /** Processes that the script leaves in its group get this long before they are killed. */
  lingerMs: number
  /** Bytes kept of each stream, from its end. */
  outputBytes: number
}

type Start = Pick<ScriptStart, 'path' | 'body' | 'signal' | 'onStarted'> & {
  environment: Record<string, string>
}

type Exit = { code: number | null; signal: string | null; error?: Error }

// A process that has left the group may keep the output open for longer; do not wait for it.
const drainMs = 200

/** Runs a script and its group to the end; returns nothing if `signal` ended it. */
export async function runScript(
  { path, environment, body, signal, onStarted }: Start,
  { timeoutMs, graceMs, lingerMs, outputBytes }: ScriptLimits,
): Promise<ScriptEnd | undefined> {
  if (signal.aborted) return undefined
  const began = performance.now()
  const child = launch([path], environment)
  let exit: Exit | undefined
  const ended = new Promise<void>(resolve => {
    const end = (how: Exit) => resolve(void (exit = how))
    child.once('error', error => end({ code: null, signal: null, error }))
    child.once('exit', (code, by) => end({ code, signal: by }))
  })
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const [stdout, stderr] = [
    keepLast(child.stdout, outputBytes),
    keepLast(child.stderr, outputBytes),
  ]
  // A script may end, or close its input, without reading it.
  child.stdin.on('error', () => undefined).end(body)
  const recorded = child.pid === undefined ? undefined : onStarted(identify(child.pid))

  const inTime = await within(timeoutMs, ended, signal)
  const isAborted = !inTime && signal.aborted
  if (!inTime && !isAborted) send(child.pid, 'SIGTERM')
  const isEmpty = !isAborted && (await emptied(child.pid, inTime ? lingerMs : graceMs, signal))
  if (!isEmpty) send(child.pid, 'SIGKILL')
  // A process that is stuck on a lost disk cannot be killed at all, so do not wait for it.
  await within(graceMs, ended)
  await within(drainMs, closed)
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  await recorded
  if (isAborted) return undefined
  if (inTime && !isEmpty) log.info('leftover processes of a hook script were killed', { path })

  const isSuccess = inTime && exit?.code === 0
  return {
    outcome: isSuccess ? 'succeeded' : inTime ? 'failed' : 'timed_out',
    reason: isSuccess ? null : inTime ? toWords(exit) : `It did not end within ${timeoutMs} ms`,
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    stdout: stdout(),
    stderr: stderr(),
    durationMs: Math.round(performance.now() - began),
  }
}

// Output up to this amount is read at full speed. The rest is read in pieces, with pauses in which
// the worker does other work.
const burstBytes = 1_048_576
const pieceMs = 10

function keepLast(stream: Readable, bytes: number): () => Buffer {
  let kept = Buffer.alloc(0)
  let total = 0
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-bytes)
    total += chunk.length
    if (total < burstBytes) return
    stream.pause()
    setTimeout(() => stream.resume(), pieceMs)
  })
  return () => kept
}

// Returns whether an event comes in time, and before the signal.
async function within(ms: number, event: Promise<void>, signal?: AbortSignal): Promise<boolean> {
  const waiting = new AbortController()
  const stop = signal === undefined ? waiting.signal : AbortSignal.any([waiting.signal, signal])
  try {
    const late = sleep(ms, false, { signal: stop }).catch(() => false)
    return await Promise.race([event.then(() => true), late])
  } finally {
    waiting.abort()
  }
}

const pauseMs = 20

// A group keeps its id as long as it has members, even dead ones whose parent has not waited for
// them yet. Those do not count here.
async function emptied(
  pid: number | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + timeoutMs
  while (pid !== undefined && send(pid, 0) && hasMembers(pid)) {
    if (performance.now() > until || signal.aborted) return false
    await sleep(pauseMs)
  }
  return true
}

/** Sends a signal to a group; returns whether it has members. */
function send(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function toWords({ code, signal, error }: Exit = { code: null, signal: null }): string {
  if (error !== undefined) return `It did not start: ${error.message}`
  return signal === null ? `It ended with ${code}` : `It was killed by ${signal}`
}
