import * as writes from '../../../model/accounts/account-writes.ts'
import * as accounts from '../../../model/accounts/accounts.ts'
import * as grammar from '../../../model/grammar/grammar.ts'
import { word } from '../../api-call.ts'
import { email, password, select } from '../../fields.ts'
import { form } from '../../form.ts'
import { operators } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { optionsForChange } from './package-options.ts'
import { pathOf } from './shown.ts'

// The forms that change an account.

const toAccount = ({ username }: { username: string }) => pathOf(username)

export const changePackage = form({
  path: '/accounts/:username/package',
  roles: operators,
  title: ({ username }) => t('accounts.changePackageUsername', { username }),
  parent: toAccount,
  fields: { package: select('accounts.packageLabel', grammar.packageName) },
  async load({ pool, caller, params: { username } }) {
    const account = await accounts.get(pool, caller, username)
    const names = await optionsForChange({ pool, caller }, account)
    if (names.length < 2) {
      return { words: [t('accounts.noOtherPackageLarge')], isIdle: true }
    }
    return {
      values: { package: account.package.name },
      options: { package: names },
      words: [t('accounts.newLimitsApplyOnce')],
    }
  },
  submit: 'accounts.changePackage',
  flash: () => t('accounts.packageWasChanged'),
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
  title: ({ username }) => t('accounts.setPasswordUsername', { username }),
  parent: toAccount,
  fields: {
    password: password('accounts.passwordLabel', grammar.password, {
      hint: 'accounts.passwordHint',
    }),
  },
  load: async ({ pool, caller, params: { username } }) => {
    await accounts.get(pool, caller, username)
    return {
      words: [t('accounts.passwordSftpSigningHere')],
    }
  },
  submit: 'accounts.setPassword',
  flash: () => t('accounts.passwordWasSet'),
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
  title: ({ username }) => t('accounts.changeEMailAddress', { username }),
  parent: toAccount,
  fields: { email: email('accounts.emailLabel', grammar.email) },
  async load({ pool, caller, params: { username } }) {
    return { values: { email: (await accounts.get(pool, caller, username)).email } }
  },
  submit: 'accounts.changeAddress',
  flash: () => t('accounts.eMailAddressWas'),
  call: ({ username }, values) => ({
    method: 'PATCH',
    path: '/accounts/:username',
    body: values,
    command: `panel account set-email ${word(username)} ${word(values['email'])}`,
  }),
  write: writes.setEmail,
  toDesired: ({ params, values }) => ({ ...params, ...values }),
})
