import { sftpKey, unknown } from '../../src/model/sftp-keys/sftp-keys.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

export default accountOperation('sftp/add-key', {
  subject: sftpKey,
  part: ['sftp'],
  async work({ record, account, about: { keyId }, apply, finish }) {
    if (!account.sftpKeys.some(({ id, isDeleting }) => id === keyId && !isDeleting)) throw unknown()
    return finish({ ...record, warnings: await apply() })
  },
})
