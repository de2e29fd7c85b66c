import { demandsSecondFactor } from '../../../model/signing-in/demands.ts'
import { findSecondFactor } from '../../../model/signing-in/second-factors.ts'
import { listSessions } from '../../../model/signing-in/sessions.ts'
import { page, requireSelf } from '../../page.ts'
import type { Place } from './place.ts'

// Shows how the user signs in, and where they are signed in.

/** /my-account, /account/security */
export const signInOverview = (place: Place) =>
  page({
    path: place.base,
    roles: place.roles,
    navigation: place.navigation,
    async load({ pool, session }) {
      requireSelf(session)
      const [factor, sessions, isDemanded] = await Promise.all([
        findSecondFactor(pool, session.person),
        listSessions(pool, session.caller),
        demandsSecondFactor(pool),
      ])
      return {
        place,
        tabs: tabsOf(place),
        hasFactor: factor?.isConfirmed === true,
        recoveryCodes: factor?.recoveryCodes ?? 0,
        isDemanded: isDemanded && session.person.kind === 'operator',
        sessions,
      }
    },
    template: 'pages/my-account/overview',
  })

/** The parts of My account; a customer's have places in the navigation. */
export const tabsOf = ({ base }: Place) =>
  base === '/my-account'
    ? [
        { label: 'Sign-in', address: base },
        { label: 'API tokens', address: `${base}/tokens` },
      ]
    : undefined
