import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '../../src/log.ts'
import * as backups from '../../src/model/account-backups/account-backups.ts'
import { backupService } from '../../src/model/account-backups/backup-service.ts'
import { listDue as listDueRestores } from '../../src/model/account-backups/restores.ts'
import { beginDue } from '../../src/model/account-backups/retention.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import type { Context, Task } from '../../src/queue/task.ts'
import { pruneNext } from '../../src/queue/backup-prune.ts'
import { runRestore, sweepRestores } from '../../src/queue/backup-restore.ts'
import { runBackup } from '../../src/queue/backup-run.ts'

// Begins backups that are due, and reads the files of all accounts whose databases are dumped, two
// at a time, until none is left; then removes old backups.
const runAll: Task = async (_payload, { abortSignal }, context) => {
  // The queue may fetch another job of this kind: what is `running` would look interrupted to it.
  if (context.inProgress.has(key)) return
  context.inProgress.set(key, { epoch: 0, soFar: () => [] })
  try {
    if (await isRestorePaused(context.pool)) return
    await backupService(context.host).endAll()
    await sweepSpools(context)
    await sweepRestores(context)
    const lanes = Array.from({ length: atOnce }, () => runDue(context, abortSignal))
    // Both have ended before another job may take over what is `running`.
    const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    // Never while a backup of the same repository may run.
    let isNext = true
    while (isNext && !abortSignal.aborted) isNext = await pruneNext(context, abortSignal)
  } finally {
    context.inProgress.delete(key)
    begun.clear()
  }
}

export default runAll

const key = 'backups:'
const atOnce = 2

// Backups that this job has begun: a failure to record the end must not repeat it at once.
const begun = new Set<string>()

const running = new Set<string>()
const pollMs = 2_000

async function runDue(context: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await beginDue(context.pool)
    const next = await findNext(context)
    if (next === undefined) {
      if (running.size === 0) return
      // A long backup keeps no other account from being backed up meanwhile.
      await sleep(pollMs)
    } else {
      begun.add(next.key)
      running.add(next.key)
      await next.run(signal).finally(() => running.delete(next.key))
    }
  }
}

type Next = { key: string; run: (signal: AbortSignal) => Promise<void> }

// People wait for restores, so they come first.
async function findNext(context: Context): Promise<Next | undefined> {
  const due: Next[] = [
    ...(await listDueRestores(context.pool)).map(id => ({
      key: `restore ${id}`,
      run: (signal: AbortSignal) => runRestore(context, id, signal),
    })),
    ...(await backups.listDue(context.pool)).map(({ id }) => ({
      key: `backup ${id}`,
      run: (signal: AbortSignal) => runBackup(context, id, signal),
    })),
  ]
  return due.find(({ key }) => !begun.has(key))
}

// A killed worker, or one that could not remove a spool, has left these.
async function sweepSpools({ pool, host }: Context): Promise<void> {
  const service = backupService(host)
  const left = service.listSpools()
  if (left.length === 0) return
  const needed = new Set(await backups.listSpooled(pool))
  for (const uid of left.filter(uid => !needed.has(uid))) {
    service.emptySpool(uid)
    log.info('the spool of a backup removed', { uid })
  }
}
