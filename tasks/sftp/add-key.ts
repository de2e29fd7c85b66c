import { sftpKey, unknown } from '../../src/model/sftp-keys.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

export default accountOperation('sftp/add-key', {
  noun: sftpKey,
  part: ['sftp'],
  async work({ record, account, about: { keyId }, apply, leave }) {
    if (!account.sftpKeys.some(({ id, isLeaving }) => id === keyId && !isLeaving)) throw unknown()
    return leave({ ...record, warnings: await apply() })
  },
})
