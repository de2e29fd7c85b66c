import { customers, page } from '../../page.ts'
import { ownAccount } from './own.ts'

/** /account/sftp: what a program for SFTP has to know. */
export const ownSftp = page({
  path: '/account/sftp',
  roles: customers,
  load: async asked => ({ record: await ownAccount(asked) }),
  template: 'pages/customer/sftp',
})
