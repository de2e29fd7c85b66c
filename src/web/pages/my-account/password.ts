import { z } from 'zod'
import * as writes from '../../../model/accounts/account-writes.ts'
import * as grammar from '../../../model/grammar/grammar.ts'
import { recorded } from '../../../model/history/history.ts'
import { changePassword } from '../../../model/sellers/operators.ts'
import { password } from '../../fields.ts'
import { form } from '../../form.ts'
import { goToSaying } from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'
import { sections, provePassword } from './section.ts'

// A new password ends all other sessions; an operator's voids its API tokens too.

/** The password, once more. */
export const current = password('myAccount.yourPassword', z.string().max(200), {
  autocomplete: 'current-password',
})

const fields = {
  current: { ...current, label: 'myAccount.currentPassword' as const },
  password: password('myAccount.passwordLabel', grammar.password, {
    hint: 'myAccount.passwordHint',
  }),
}

const changed: PlainKey = 'myAccount.yourPasswordWasChanged'
const common = {
  title: () => t('myAccount.changePassword'),
  fields,
  isPersonal: true,
  submit: 'myAccount.changePassword',
} as const

/** /my-account/password */
export const operatorPassword = form({
  ...common,
  path: `${sections.operator.base}/password`,
  roles: sections.operator.roles,
  parent: () => sections.operator.base,
  load: async () => ({
    words: [t('myAccount.youSignedOutEverywhere')],
  }),
  check: given => provePassword(given, given.values.current),
  async act({ pool, session, caller, wiring, values }) {
    const change = { action: 'operator/set-password', about: session.name } as const
    await recorded(pool, caller, change, db =>
      changePassword(db, session.name, values.password, session.id),
    )
    return goToSaying(sections.operator.base, t(changed), wiring)
  },
})

/** /account/security/password */
export const customerPassword = form({
  ...common,
  path: `${sections.customer.base}/password`,
  roles: sections.customer.roles,
  parent: () => sections.customer.base,
  load: async () => ({
    words: [t('myAccount.passwordSftpTooYou')],
  }),
  check: given => provePassword(given, given.values.current),
  write: writes.setPassword,
  toDesired: ({ session, values }) => ({ username: session.name, password: values.password }),
  flash: () => changed,
})
