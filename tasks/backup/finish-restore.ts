import { PanelError } from '../../src/errors.ts'
import { backupService } from '../../src/model/account-backups/backup-service.ts'
import { stagedRestore } from '../../src/model/account-backups/restores.ts'
import { type BackupWarning, showWarnings } from '../../src/model/server/backup-warnings.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { unlessUrgent } from '../../src/queue/unless-urgent.ts'

// Brings staged content into the account. Each step may run twice: files that were moved are no
// longer staged, and a dump replaces what there is.
export default accountOperation('backup/finish-restore', {
  subject: stagedRestore,
  async work(work) {
    const { context, record, account, about, apply, finish } = work
    const { restore } = about
    if (restore === null) throw new PanelError('restore_unknown', 'The restore has ended')
    const { id, staged } = restore
    const service = backupService(context.host)
    const warnings = [...restore.warnings]
    // First, as they can be refused: then no database has been replaced.
    await context.observe('move files', () => service.moveStaged(account, id, staged.paths))
    // Databases and mailboxes that the account has got again are made first.
    if (restore.hasRecreated) await apply()
    await unlessUrgent(work, async signal => {
      const until = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
      for (const mailbox of staged.mailboxes) {
        await context.observe('restore mailbox', async () => {
          const isDone = await service.restoreMailbox(account, mailbox, until)
          if (!isDone) warnings.push({ code: 'mailbox_without_resource', mailbox })
        })
      }
      for (const dump of staged.dumps) {
        await context.observe('import', async () => {
          const refused = await service.restoreDump(account, dump, until)
          warnings.push(...warningsOf(dump, refused))
        })
      }
    })
    const done = finish(
      { ...record, warnings: await apply() },
      {
        answer: { id, warnings: showWarnings(warnings) },
      },
    )
    return { ...done, change: { ...done.change, restore: { id, warnings } } }
  },
})

const warningsOf = (dump: string, refused: string[] | undefined): BackupWarning[] =>
  refused === undefined
    ? [{ code: 'dump_without_resource', dump }]
    : refused.map(detail => ({ code: 'statement_refused', dump, detail: detail.slice(0, 400) }))

// An operation may take 5 minutes.
const limitMs = 240_000
