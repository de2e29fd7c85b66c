import { log } from '../log.ts'
import * as backups from '../model/account-backups/account-backups.ts'
import { backupService } from '../model/account-backups/backup-service.ts'
import { openRepository } from '../model/account-backups/repositories.ts'
import { findPrunable, finishPrune } from '../model/account-backups/retention.ts'
import { forgetFailed } from './backup-run.ts'
import type { Context } from './task.ts'

/**
 * Removes old backups from the next repository that is due; returns whether there was one. A
 * failure leaves the repository marked: the next run repairs it.
 */
export async function pruneNext(context: Context, stop: AbortSignal): Promise<boolean> {
  const { pool, host } = context
  const due = await findPrunable(pool)
  if (due === undefined) return false
  const repository = openRepository(due.repository, host.serverKey())
  const service = backupService(host)
  try {
    await service.endInterrupted(repository)
    await service.unlock(repository, stop)
    const found = await service.listSnapshots(repository, stop)
    const before = found.map(({ id }) => id)
    await backups.noteLost(pool, repository.id, before)
    // They would count as the last backup of a day.
    await forgetFailed(context, { repository, signal: stop, found })
    await service.prune(repository, due.keep, stop)
    const after = new Set((await service.listSnapshots(repository, stop)).map(({ id }) => id))
    const removed = before.filter(id => !after.has(id))
    await finishPrune(pool, repository.id, removed)
    log.info('old backups removed', { account: repository.username, backups: removed.length })
  } catch (error) {
    if (!stop.aborted) {
      log.error('old backups are not removed', error, { account: repository.username })
    }
  }
  return true
}
