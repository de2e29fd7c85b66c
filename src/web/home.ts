import type { OpenRoute } from '../http/server.ts'
import { findSession } from '../model/signing-in/sessions.ts'
import { goTo, type Wiring } from './page.ts'
import { cookiesAt } from './session-cookie.ts'

/** The first page of each kind of user. */
export const firstPages = { operator: '/overview', account: '/account' } as const

/** Redirects / to the first page of the user who is signed in, else to the sign-in page. */
export const homeRoute = (wiring: Wiring): OpenRoute => ({
  path: '/',
  handler: async ({ message }) => {
    const { operator, customer } = cookiesAt(wiring.baseUrl)
    for (const cookie of [operator, customer]) {
      const sent = cookie.read(message)
      const session = sent && (await findSession(wiring.pool, sent, wiring.addressOf(message)))
      if (session) return goTo(firstPages[session.person.kind])
    }
    return goTo('/sign-in')
  },
})
