import { randomBytes } from 'node:crypto'
import { PanelError } from '../../src/errors.ts'
import {
  accountBackup,
  inProgress,
  noTarget,
} from '../../src/model/account-backups/account-backups.ts'
import { backupService } from '../../src/model/account-backups/backup-service.ts'
import { ensureRepository } from '../../src/model/account-backups/repositories.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { unlessUrgent } from '../../src/queue/unless-urgent.ts'

// The part of a backup that needs the account's lane: its rows and its databases as they are now.
// The job `backup/run` then reads the files without it. An urgent operation ends this one.
export default accountOperation('backup/create', {
  subject: accountBackup,
  part: [],
  async work(work) {
    const { context, record, account, about, passwordHash, parts, finish } = work
    const { backupId, targetId } = about
    if (targetId === null) throw noTarget()
    if (backupId === null) throw inProgress()
    const service = backupService(context.host)
    const lack = service.lack()
    if (lack !== undefined) throw new PanelError('invalid', lack)
    const repository_id =
      about.repositoryId ??
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
    const answer = { id: backupId, state: 'ready', dumps }
    const location = `/api/v1/accounts/${record.username}/backups/${backupId}`
    const done = finish(record, { status: 201, location, answer })
    return { ...done, change: { ...done.change, backup: { repository_id, dumps } } }
  },
})

// An operation may take 5 minutes.
const limitMs = 270_000
