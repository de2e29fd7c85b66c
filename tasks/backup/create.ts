import { accountBackup } from '../../src/model/account-backups/account-backups.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { prepareBackup } from '../../src/queue/backup-preparation.ts'

// The part of a backup that needs the account's lane: its rows and its databases as they are now.
// The job `backup/run` then reads the files without it.
export default accountOperation('backup/create', {
  subject: accountBackup,
  part: [],
  async work(work) {
    const { record, about, finish } = work
    const backup = await prepareBackup(work, about)
    const answer = { id: about.backupId, state: 'ready', dumps: backup.dumps }
    const location = `/api/v1/accounts/${record.username}/backups/${about.backupId}`
    const done = finish(record, { status: 201, location, answer })
    return { ...done, change: { ...done.change, backup } }
  },
})
