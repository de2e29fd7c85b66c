import { log } from '../log.ts'
import * as backups from '../model/account-backups/account-backups.ts'
import type { RunResult, StartedRun } from '../model/account-backups/account-backups.ts'
import {
  backupService,
  type BackupRun,
  type Snapshot,
} from '../model/account-backups/backup-service.ts'
import { openRepository } from '../model/account-backups/repositories.ts'
import { event } from '../model/events/events.ts'
import { repeat } from './repeated-work.ts'
import { retryOrExit } from './retry-or-exit.ts'
import type { Context } from './task.ts'
import { toWords } from './undo.ts'

// The run of one backup: reads the files of an account, and counts once it was read back. It may be
// killed at any line: the next start takes over what restic has stored.

/** Runs a backup to its end and records it; the next worker continues one that the signal ends. */
export async function runBackup(context: Context, id: string, stop: AbortSignal): Promise<void> {
  const { pool, host, serverName: server } = context
  const key = `backup:${id}`
  const started = await retryOrExit(context, key, () => backups.startRun(pool, id))
  if (started === undefined) return
  const { username, uid } = started
  const began = performance.now()
  try {
    const { isFirst, ...stored } = await storeAll(context, started, stop)
    const durationMs = Math.round(performance.now() - began)
    const kind = isFirst ? 'full' : 'incremental'
    const scope = `account:${username}`
    const data = { kind, scope, bytes: stored.bytesRead, duration_ms: durationMs }
    const made = event('backup.completed', data, { server, time: new Date() })
    const result = { ...stored, durationMs }
    const isRecorded = await retryOrExit(context, key, () =>
      backups.finishRun(pool, started, result, made, host.hasScripts('backup.completed')),
    )
    // It has ended otherwise, and the spool may be that of the next one.
    if (!isRecorded) return
    log.info('backup completed', { backup: id, account: username, ms: durationMs })
  } catch (error) {
    if (stop.aborted) return
    log.error('backup failed', error, { backup: id, account: username })
    const isRecorded = await retryOrExit(context, key, () =>
      backups.failRun(pool, started, toWords(error)),
    )
    if (!isRecorded) return
  }
  if (uid !== null) backupService(host).emptySpool(uid)
}

type Stored = Omit<RunResult, 'durationMs'> & { isFirst: boolean }

async function storeAll(context: Context, started: StartedRun, stop: AbortSignal): Promise<Stored> {
  const { pool, host } = context
  const { operationId, username, uid, dumps, isDirty } = started
  if (uid === null) throw new Error('The account is gone')
  const service = backupService(host)
  const repository = openRepository(started.repository, host.serverKey())
  // A terminated account's backup has ended.
  const over = new AbortController()
  const watching = await repeat('backup', async () => {
    if (!(await backups.isCurrent(pool, started))) over.abort()
  })
  const signal = AbortSignal.any([stop, over.signal])
  const run: BackupRun = { operationId, username, uid, dumps, repository, signal }
  try {
    let snapshot: string | undefined
    if (isDirty) snapshot = await reconcile(context, run)
    else if (!repository.isCreated) await service.createRepository(repository, signal)
    else await service.unlock(repository, signal)
    if (snapshot === undefined) {
      const stored = await service.store(run)
      const { snapshot, contents, list } = await service.readBack(run, stored.snapshot)
      return { ...stored, snapshot, contents, list, isFirst: !repository.isCreated }
    }
    const { bytes: bytesRead, ...read } = await service.readBack(run, snapshot)
    return { ...read, isFirst: !repository.isCreated, bytesRead, bytesAdded: 0, warnings: [] }
  } finally {
    await watching.stop()
  }
}

// After a run that has not been recorded: ends what is left of it, and makes rows and snapshots
// agree. Returns the snapshot that it has stored for this backup, if any.
async function reconcile(
  { pool, host }: Context,
  { operationId, repository, signal }: BackupRun,
): Promise<string | undefined> {
  const service = backupService(host)
  await service.endInterrupted(repository)
  // Never where there was one: the disk of a folder may not be mounted.
  if (!repository.isCreated) await service.createRepository(repository, signal)
  await service.unlock(repository, signal)
  const found = await service.listSnapshots(repository, signal)
  await backups.noteLost(
    pool,
    repository.id,
    found.map(snapshot => snapshot.id),
  )
  const known = new Set(await backups.listSnapshots(pool, repository.id))
  const own = found.find(({ id, operationId: by }) => by === operationId && !known.has(id))
  await forgetFailed({ pool, host }, { repository, signal, found })
  return own?.id
}

type FoundIn = Pick<BackupRun, 'repository' | 'signal'> & { found: readonly Snapshot[] }

/**
 * Removes the snapshots of failed backups, which were never read back. Others without a row stay:
 * after a restore of the panel, the rows lack newer backups.
 */
export async function forgetFailed(
  { pool, host }: Pick<Context, 'pool' | 'host'>,
  { repository, signal, found }: FoundIn,
): Promise<void> {
  const { address } = repository.target
  if (address.kind === 'rest' && address.is_append_only) return
  const failed = new Set<string | undefined>(await backups.listFailed(pool, repository.id))
  const left = found.filter(({ operationId }) => failed.has(operationId)).map(({ id }) => id)
  if (left.length > 0) await backupService(host).forget(repository, left, signal)
}
