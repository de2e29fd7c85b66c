import { sftpKey, unknown } from '../../src/model/sftp-keys/sftp-keys.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// Ends sessions too, since it is unknown which key opened each.
export default accountOperation('sftp/remove-key', {
  subject: sftpKey,
  part: ['sftp'],
  async work({ record, account, about: { keyId }, apply, finish }) {
    // Another request may have removed it meanwhile.
    if (!account.sftpKeys.some(({ id, isDeleting }) => id === keyId && isDeleting)) throw unknown()
    return finish({ ...record, warnings: await apply() })
  },
})
