import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError, isUnderSystemd, watchdogMs } from './config.ts'
import { connect, connection, isOutage, type Role } from './db.ts'
import { log } from './log.ts'
import { notifySystemd } from './systemd.ts'

export type Running = {
  stop: () => Promise<void>
  /** Asks the database something; whatever the result, the process is not stuck. */
  check: () => Promise<unknown>
  /** Resolves when the process has to end, because it no longer knows what it may do. */
  gaveUp?: Promise<{ reason: string; error: unknown; drainMs: number }>
}

// A stop that takes longer than its own grace periods hangs; supervisors kill after 10 s.
const stopLimitMs = 9_000
// Between two checks whether the database is there.
const waitMs = 250
// The timeout of a connection.
const answerMs = 5_000

/**
 * Runs one of the panel's processes until SIGTERM (exit code 0) or until it gives up (75,
 * EX_TEMPFAIL of sysexits.h: its supervisor starts the next one). Wrong settings end it at once
 * (78, EX_CONFIG), with a sentence that names them.
 */
export async function runProcess(name: string, start: () => Promise<Running>): Promise<never> {
  let check: Running['check'] = async () => undefined
  reportAlive(() => check())
  // After an error that no code awaited, the state of the process is unknown.
  process.on('unhandledRejection', error => exit(name, 'unhandled rejection', error))
  process.on('uncaughtException', error => exit(name, 'uncaught exception', error))
  const stopped = Promise.withResolvers<undefined>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => stopped.resolve(undefined))
  }
  let running: Running | undefined
  try {
    running = await Promise.race([start(), stopped.promise])
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.message}\n`)
      process.exit(78)
    }
    return exit(name, 'it cannot start', error)
  }
  // Stopped before it was ready: nothing is in progress yet.
  if (running === undefined) process.exit(0)
  check = running.check
  void notifySystemd('--ready', '--status=Up')
  const end = await Promise.race([stopped.promise, ...(running.gaveUp ? [running.gaveUp] : [])])
  if (end !== undefined) {
    // Immediately if nothing may continue: a turn of the event loop would allow it.
    if (end.drainMs > 0) await sleep(end.drainMs)
    return exit(name, end.reason, end.error)
  }
  void notifySystemd('STOPPING=1')
  await Promise.race([running.stop(), sleep(stopLimitMs)])
  process.exit(0)
}

/**
 * Waits for the database at the start of a process that needs it, rather than end again and again.
 * Reports the reason to the supervisor.
 */
export async function untilReachable(url: string, role: Role): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      await using client = await connect({ ...connection(url, role), query_timeout: answerMs })
      await client.query('select')
      return
    } catch (error) {
      if (!isOutage(error)) throw error
      if (isFirst) {
        log.error('waiting for the database', error)
        void notifySystemd('--ready', '--status=Waiting for the database')
      }
    }
    await sleep(waitMs)
  }
}

// Reports to the supervisor that the event loop turns, since it cannot wait for a stopped or hung
// process; reports to systemd only after a question to the database has also ended, successfully or
// not.
function reportAlive(check: () => Promise<unknown>): void {
  const limitMs = watchdogMs()
  if (!(limitMs > 0)) return
  // If the supervisor is gone, this process ends too.
  const send = () => process.connected && process.send?.('alive', () => undefined)
  const report = () => void notifySystemd('WATCHDOG=1')
  let isAsking = false
  const askAndReport = async () => {
    isAsking = true
    await check().then(report, report)
    isAsking = false
  }
  send()
  setInterval(() => {
    send()
    if (isUnderSystemd && !isAsking) void askAndReport()
  }, limitMs / 5).unref()
}

function exit(name: string, reason: string, error: unknown): never {
  log.error('process gives up', error, { name, reason })
  process.exit(75)
}
