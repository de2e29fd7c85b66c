import { log } from '../../src/log.ts'
import * as backups from '../../src/model/account-backups/account-backups.ts'
import { backupService } from '../../src/model/account-backups/backup-service.ts'
import { beginDue } from '../../src/model/account-backups/retention.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import type { Context, Task } from '../../src/queue/task.ts'
import { pruneNext } from '../../src/queue/backup-prune.ts'
import { runBackup } from '../../src/queue/backup-run.ts'

// Begins backups that are due, and reads the files of all accounts whose databases are dumped, two
// at a time, until none is left; then removes old backups.
const runAll: Task = async (_payload, { abortSignal }, context) => {
  // The queue may fetch another job of this kind: what is `running` would look interrupted to it.
  if (context.inProgress.has(key) || (await isRestorePaused(context.pool))) return
  context.inProgress.set(key, { epoch: 0, soFar: () => [] })
  try {
    await sweepSpools(context)
    await beginDue(context.pool)
    await Promise.all(Array.from({ length: atOnce }, () => runDue(context, abortSignal)))
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

// Those that this job has begun: a failure to record the end must not repeat it at once.
const begun = new Set<string>()

async function runDue(context: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = (await backups.listDue(context.pool)).find(({ id }) => !begun.has(id))
    if (next === undefined) return
    if (begun.has(next.id)) continue
    begun.add(next.id)
    await runBackup(context, next.id, signal)
  }
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
