import * as writes from '../../../model/accounts/account-writes.ts'
import * as accounts from '../../../model/accounts/accounts.ts'
import * as grammar from '../../../model/grammar/grammar.ts'
import { word } from '../../api-call.ts'
import { email, password, select } from '../../fields.ts'
import { form } from '../../form.ts'
import { operators } from '../../page.ts'
import { optionsForChange } from './package-options.ts'
import { pathOf } from './shown.ts'

// The forms that change an account.

const toAccount = ({ username }: { username: string }) => pathOf(username)

export const changePackage = form({
  path: '/accounts/:username/package',
  roles: operators,
  title: ({ username }) => `Change the package of ${username}`,
  parent: toAccount,
  fields: { package: select('Package', grammar.packageName) },
  async load({ pool, caller, params: { username } }) {
    const account = await accounts.get(pool, caller, username)
    const names = await optionsForChange({ pool, caller }, account)
    if (names.length < 2) {
      return { words: ['No other package is large enough for the account.'], isIdle: true }
    }
    return {
      values: { package: account.package.name },
      options: { package: names },
      words: [
        'The new limits apply at once. Nothing is deleted, even if the new disk limit is lower.',
      ],
    }
  },
  submit: 'Change package',
  flash: () => 'The package was changed.',
  call: ({ username }, values) => ({
    method: 'PUT',
    path: '/accounts/:username/package',
    body: values,
    command: `panel account set-package ${word(username)} ${word(values['package'])}`,
  }),
  write: writes.changePackage,
  toDesired: ({ params, values }) => ({ ...params, ...values }),
})

export const setPassword = form({
  path: '/accounts/:username/password',
  roles: operators,
  title: ({ username }) => `Set the password of ${username}`,
  parent: toAccount,
  fields: {
    password: password('New password', grammar.password, { hint: 'At least 8 characters.' }),
  },
  load: async ({ pool, caller, params: { username } }) => {
    await accounts.get(pool, caller, username)
    return {
      words: ['The password is for SFTP and for signing in here. Changing it ends all sessions.'],
    }
  },
  submit: 'Set password',
  flash: () => 'The password was set.',
  call: ({ username }, values) => ({
    method: 'PUT',
    path: '/accounts/:username/password',
    body: values,
    command: `panel account set-password ${word(username)}`,
  }),
  write: writes.setPassword,
  toDesired: ({ params, values }) => ({ ...params, ...values }),
})

export const changeEmail = form({
  path: '/accounts/:username/email',
  roles: operators,
  title: ({ username }) => `Change the e-mail address of ${username}`,
  parent: toAccount,
  fields: { email: email('E-mail address', grammar.email) },
  async load({ pool, caller, params: { username } }) {
    return { values: { email: (await accounts.get(pool, caller, username)).email } }
  },
  submit: 'Change address',
  flash: () => 'The e-mail address was changed.',
  call: ({ username }, values) => ({
    method: 'PATCH',
    path: '/accounts/:username',
    body: values,
    command: `panel account set-email ${word(username)} ${word(values['email'])}`,
  }),
  write: writes.setEmail,
  toDesired: ({ params, values }) => ({ ...params, ...values }),
})
