import { inProgress, requestedRestore } from '../../src/model/account-backups/restores.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { prepareBackup } from '../../src/queue/backup-preparation.ts'

// Begins a restore with a backup of the account as it is.
export default accountOperation('backup/restore', {
  subject: requestedRestore,
  part: [],
  async work(work) {
    const { record, about, finish } = work
    const backup = await prepareBackup(work, about)
    const { backupId, restoreId } = about
    if (restoreId === null) throw inProgress()
    const answer = { id: restoreId, state: 'saving', safety_backup: backupId }
    const location = `/api/v1/accounts/${record.username}/restores/${restoreId}`
    const done = finish(record, { status: 201, location, answer })
    return { ...done, change: { ...done.change, backup } }
  },
})
