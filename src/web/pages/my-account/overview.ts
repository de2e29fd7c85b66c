import { z } from 'zod'
import { demandsSecondFactor } from '../../../model/demands.ts'
import { findSecondFactor } from '../../../model/second-factors.ts'
import { listSessions } from '../../../model/sessions.ts'
import { page } from '../../page.ts'
import { requireSelf, type Place } from './place.ts'

// How somebody signs in, and where it is signed in.

const said = {
  password: 'Your password is changed.',
  'second-factor-off': 'The second factor is off.',
  session: 'The session has ended.',
  sessions: 'You are signed out everywhere else.',
}

const Query = z.object({ done: z.enum(Object.keys(said) as (keyof typeof said)[]).optional() })

/** /my-account, /account/security */
export const signInOverview = (place: Place) =>
  page({
    path: place.base,
    roles: place.roles,
    query: Query,
    async load({ pool, session, query }) {
      requireSelf(session)
      const [factor, sessions, isDemanded] = await Promise.all([
        findSecondFactor(pool, session.person),
        listSessions(pool, session.caller),
        demandsSecondFactor(pool),
      ])
      return {
        place,
        tabs: tabsOf(place),
        done: query.done && said[query.done],
        hasFactor: factor?.isConfirmed === true,
        recoveryCodes: factor?.recoveryCodes ?? 0,
        isDemanded: isDemanded && session.person.kind === 'owner',
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
