import { z } from 'zod'
import * as writes from '../../../model/accounts/account-writes.ts'
import * as grammar from '../../../model/grammar/grammar.ts'
import { recorded } from '../../../model/history/history.ts'
import { changePassword } from '../../../model/sellers/operators.ts'
import { password } from '../../fields.ts'
import { form } from '../../form.ts'
import { goToSaying } from '../../page.ts'
import { sections, provePassword } from './section.ts'

// A new password ends all other sessions; an operator's voids its API tokens too.

/** The password, once more. */
export const current = password('Your password', z.string().max(200), {
  autocomplete: 'current-password',
})

const fields = {
  current: { ...current, label: 'Current password' },
  password: password('New password', grammar.password, { hint: 'At least 8 characters.' }),
}

const changed = 'Your password was changed.'
const common = {
  title: () => 'Change password',
  fields,
  isPersonal: true,
  submit: 'Change password',
} as const

/** /my-account/password */
export const operatorPassword = form({
  ...common,
  path: `${sections.operator.base}/password`,
  roles: sections.operator.roles,
  parent: () => sections.operator.base,
  load: async () => ({
    words: ['You are signed out everywhere else, and your API tokens are revoked.'],
  }),
  check: given => provePassword(given, given.values.current),
  async act({ pool, session, caller, wiring, values }) {
    const change = { action: 'operator/set-password', about: session.name } as const
    await recorded(pool, caller, change, db =>
      changePassword(db, session.name, values.password, session.id),
    )
    return goToSaying(sections.operator.base, changed, wiring)
  },
})

/** /account/security/password */
export const customerPassword = form({
  ...common,
  path: `${sections.customer.base}/password`,
  roles: sections.customer.roles,
  parent: () => sections.customer.base,
  load: async () => ({
    words: ['The password is for SFTP too. You are signed out everywhere else.'],
  }),
  check: given => provePassword(given, given.values.current),
  write: writes.setPassword,
  toDesired: ({ session, values }) => ({ username: session.name, password: values.password }),
  flash: () => changed,
})
