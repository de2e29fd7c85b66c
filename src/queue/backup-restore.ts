import { PanelError } from '../errors.ts'
import { log } from '../log.ts'
import { backupService } from '../model/account-backups/backup-service.ts'
import { openRepository } from '../model/account-backups/repositories.ts'
import * as restores from '../model/account-backups/restores.ts'
import { repeat } from './repeated-work.ts'
import { retryOrExit } from './retry-or-exit.ts'
import type { Context } from './task.ts'
import { toWords } from './undo.ts'

// The run of one restore: reads what a backup has into a staging folder. It may be killed at any
// line: the next start reads again.

/** Runs a restore until its content is staged; the next worker repeats one that the signal ends. */
export async function runRestore(context: Context, id: string, stop: AbortSignal): Promise<void> {
  const { pool, host } = context
  const key = `restore:${id}`
  const started = await retryOrExit(context, key, () => restores.startRun(pool, id))
  if (started === undefined) return
  const { username: account } = started
  try {
    const result = await stage(context, started, stop)
    await retryOrExit(context, key, () => restores.finishRun(pool, started, result))
    log.info('content of a backup read', { restore: id, account, bytes: result.bytes })
  } catch (error) {
    if (stop.aborted) return
    log.error('restore failed', error, { restore: id, account })
    await retryOrExit(context, key, () => restores.failRun(pool, started, toWords(error)))
    if (started.uid !== null) await backupService(host).emptyStaging(started.uid)
  }
}

async function stage(
  { pool, host }: Context,
  started: restores.StartedRun,
  stop: AbortSignal,
): Promise<restores.RunResult> {
  const { username, uid, items, keepsReplaced, snapshot, unsaved } = started
  if (uid === null) throw new Error('The account is gone')
  if (unsaved !== null) {
    throw new PanelError('invalid', `The account could not be backed up before: ${unsaved}`)
  }
  const repository = openRepository(started.repository, host.serverKey())
  // A terminated account's restore has ended.
  const over = new AbortController()
  const watching = await repeat('restore', async () => {
    if (!(await restores.isCurrent(pool, started))) over.abort()
  })
  const signal = AbortSignal.any([stop, over.signal])
  const run = { username, uid, items, keepsReplaced, snapshot, repository, signal }
  try {
    return await backupService(host).stage(run)
  } finally {
    await watching.stop()
  }
}

/** Removes what killed runs have left, and replaced files that were kept long enough. */
export async function sweepRestores({ pool, host }: Context): Promise<void> {
  const service = backupService(host)
  const staged = new Set(await restores.listStaged(pool))
  for (const uid of service.listStaging()) if (!staged.has(uid)) await service.emptyStaging(uid)
  const replaced = service.listReplaced()
  if (replaced.length === 0) return
  const kept = new Set(await restores.listKept(pool, host.trashHours))
  for (const id of replaced) if (!kept.has(id)) await service.removeReplaced(id)
}
