import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { PanelError } from '../errors.ts'
import {
  type accountBackup,
  inProgress,
  noTarget,
} from '../model/account-backups/account-backups.ts'
import { backupService } from '../model/account-backups/backup-service.ts'
import { ensureRepository } from '../model/account-backups/repositories.ts'
import type { AccountWork } from './account-operation.ts'
import { unlessUrgent } from './unless-urgent.ts'

type About = z.infer<(typeof accountBackup)['about']>

/**
 * Writes the rows and the dumps of a backup, and returns the change of its row. An urgent operation
 * ends this one.
 */
export async function prepareBackup(
  work: AccountWork,
  { backupId, targetId, repositoryId }: About,
): Promise<{ repository_id: string; dumps: string[] }> {
  const { context, record, account, passwordHash, parts } = work
  if (targetId === null) throw noTarget()
  if (backupId === null) throw inProgress()
  const service = backupService(context.host)
  const lack = service.lack()
  if (lack !== undefined) throw new PanelError('invalid', lack)
  const repository_id =
    repositoryId ??
    (await ensureRepository(
      context.pool,
      { accountId: record.id, targetId },
      randomBytes(32).toString('base64url'),
      context.host.serverKey(),
    ))
  const rows = JSON.stringify({ format: 1, account: record, passwordHash, parts })
  let dumps: string[] = []
  await unlessUrgent(work, signal =>
    context.observe('dump databases', async () => {
      const until = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
      dumps = await service.fillSpool({ account, rows }, until)
    }),
  )
  return { repository_id, dumps }
}

// An operation may take 5 minutes.
const limitMs = 270_000
