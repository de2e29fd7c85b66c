import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '../log.ts'
import { toHostAccount } from '../model/host-account.ts'
import type { Rebuilt } from '../model/host.ts'
import * as rebuilds from '../model/rebuilds.ts'
import { retryOrExit } from './retry-or-exit.ts'
import { removeStrays } from './strays.ts'
import type { Context } from './task.ts'

// Many operations that make the machine agree with the rows again, carried out as one. Each has its
// account's lane and lock like any other, and whatever this does not bring to its end is carried
// out by itself: so a row that is refused or a site that fails, fails alone and as always.

// As much as one test of nginx and a few of each half may take together.
const totalLimitMs = 300_000

/** Starts all operations that share the job, does what can be done at once, and ends them. */
export async function rebuild(context: Context, jobId: string): Promise<void> {
  const abort = new AbortController()
  void sleep(totalLimitMs, undefined, { signal: abort.signal }).then(
    () => context.giveUp('a rebuild is stuck', new Error(`job ${jobId}`)),
    () => undefined,
  )
  try {
    await context.exclusive(false, () => carryOut(context, jobId))
  } catch (error) {
    // Thrown to the queue it would wait in a back-off of the queue's own.
    await context.giveUp('a rebuild has thrown', error)
  } finally {
    abort.abort()
  }
}

async function carryOut(context: Context, jobId: string): Promise<void> {
  const { pool, underWay } = context
  const { session } = context.locks
  const begunAt = performance.now()
  const started = await retryOrExit(context, jobId, () => rebuilds.start(session, jobId))
  // A session is given a lock that it has already: within this process we see to it ourselves.
  for (const { id, epoch } of started) underWay.set(id, { epoch, soFar: () => [] })
  const results = await work(context, started)
  await removeStrays(pool, context.host).catch(error => log.error('a rebuild left strays', error))
  // Whoever waits for the end is told what the server lacks now.
  await context.watch().catch(error => log.error('a look at services failed', error))
  await retryOrExit(context, jobId, () => rebuilds.end(pool, jobId, results))
  for (const { id } of started) underWay.delete(id)
  context.locks.giveBack(started.map(({ account }) => account.id))
  log.info('accounts rebuilt together', {
    accounts: results.filter(({ isDone }) => isDone).length,
    left: started.length - results.filter(({ isDone }) => isDone).length,
    ms: Math.round(performance.now() - begunAt),
  })
}

async function work(
  { host, observe }: Context,
  started: readonly rebuilds.Started[],
): Promise<rebuilds.Result[]> {
  const judged = started.flatMap(one => {
    const account = judge(one)
    return account === undefined ? [] : [{ ...one, account, warnings: one.account.warnings }]
  })
  let rebuilt: Rebuilt[] = []
  try {
    rebuilt = await host.rebuild(judged, observe)
  } catch (error) {
    log.error('a rebuild failed', error, { accounts: judged.length })
  }
  const none: Rebuilt = { isDone: false, differed: [] }
  const found = new Map(judged.map(({ id }, index) => [id, rebuilt[index]]))
  return started.map(({ id, epoch }) => ({ id, epoch, ...(found.get(id) ?? none) }))
}

// A row that does not fit is left to its own operation, which refuses it.
function judge({ account, ...secrets }: rebuilds.Started) {
  try {
    const judged = toHostAccount(account, secrets)
    return judged.wanted === 'terminated' ? undefined : judged
  } catch {
    return undefined
  }
}
