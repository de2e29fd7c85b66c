import { endSession } from '../../../model/signing-in/sessions.ts'
import { customers, goTo, operators, type Page, type Role } from '../../page.ts'
import { cookiesAt } from '../../session-cookie.ts'

// Defines signing out, a button on every page. Its address alone, as from a bookmark, does nothing.

const signOutPage = (path: string, roles: readonly Role[], of: 'operator' | 'customer'): Page => ({
  path,
  roles,
  get: async () => goTo(of === 'operator' ? '/overview' : '/account'),
  async post({ pool, session, wiring }) {
    await endSession(pool, session)
    const reply = goTo(session.impersonator === null ? '/sign-in' : `/accounts/${session.name}`)
    reply.headers['set-cookie'] = [cookiesAt(wiring.baseUrl)[of].cleared]
    return reply
  },
})

/** /sign-out */
export const signOut = signOutPage('/sign-out', operators, 'operator')

/** /account/sign-out: back to the operator's page of the account, after signing in as it. */
export const signOutCustomer = signOutPage('/account/sign-out', customers, 'customer')
