import * as writes from '../../../model/account-writes.ts'
import * as grammar from '../../../model/grammar.ts'
import { password } from '../../fields.ts'
import { form } from '../../form.ts'
import { customers } from '../../page.ts'

export const ownPassword = form({
  path: '/account/sftp/password',
  roles: customers,
  title: () => 'Change your password',
  parent: () => '/account/sftp',
  fields: {
    password: password('New password', grammar.password, { hint: 'At least 8 characters.' }),
  },
  load: async () => ({
    words: ['It is the one for SFTP and for signing in here, and signs you out everywhere else.'],
  }),
  submit: 'Change password',
  write: writes.setPassword,
  toWanted: ({ session, values }) => ({ username: session.name, ...values }),
})
