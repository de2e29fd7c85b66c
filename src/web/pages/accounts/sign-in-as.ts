import * as accounts from '../../../model/accounts/accounts.ts'
import { PanelError } from '../../../errors.ts'
import { openAccountSession } from '../../../model/signing-in/sessions.ts'
import { form } from '../../form.ts'
import { goTo, operators } from '../../page.ts'
import { cookiesAt } from '../../session-cookie.ts'
import { t } from '../../texts/texts.ts'
import { pathOf } from './shown.ts'

/** /accounts/USERNAME/sign-in-as: a customer's session below the own one. */
export const signInAs = form({
  path: '/accounts/:username/sign-in-as',
  roles: operators,
  title: ({ username }) => t('accounts.signUsername', { username }),
  parent: ({ username }) => pathOf(username),
  fields: {},
  async load({ pool, caller, params: { username } }) {
    const { state } = await accounts.get(pool, caller, username)
    if (state !== 'active') {
      return { words: [t('accounts.accountStateSoYou', { state })], isIdle: true }
    }
    return {
      words: [t('accounts.youSeeWhatCustomer')],
    }
  },
  submit: 'accounts.signCustomer',
  async act({ pool, caller, session, wiring, params: { username } }) {
    const { id, state } = await accounts.get(pool, caller, username)
    const cookie = await openAccountSession(pool, id, {
      address: caller.address ?? undefined,
      browser: undefined,
      parent: session.id,
    })
    if (cookie === undefined) {
      throw new PanelError('account_not_active', t('accounts.accountStateYouCannot', { state }))
    }
    const reply = goTo('/account')
    reply.headers['set-cookie'] = cookiesAt(wiring.baseUrl).customer.toHeader(cookie)
    return reply
  },
})
