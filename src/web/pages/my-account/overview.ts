import { demandsSecondFactor } from '../../../model/signing-in/demands.ts'
import { findSecondFactor } from '../../../model/signing-in/second-factors.ts'
import { listChoices } from '../../../model/notices/notices.ts'
import { listSessions } from '../../../model/signing-in/sessions.ts'
import { page, requireSelf } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import type { Section } from './section.ts'

// Shows how the user signs in, and where they are signed in.

/** /my-account, /account/security */
export const signInOverview = (section: Section) =>
  page({
    path: section.base,
    roles: section.roles,
    navigation: section.navigation,
    async load({ pool, session }) {
      requireSelf(session)
      const [factor, sessions, isDemanded, choices] = await Promise.all([
        findSecondFactor(pool, session.person),
        listSessions(pool, session.caller),
        demandsSecondFactor(pool),
        listChoices(pool, session.person, session.caller.role),
      ])
      return {
        section,
        tabs: tabsOf(section),
        hasFactor: factor?.isConfirmed === true,
        recoveryCodes: factor?.recoveryCodes ?? 0,
        isDemanded: isDemanded && session.person.kind === 'operator',
        sessions,
        notices: choices.filter(({ isChosen }) => isChosen).map(({ label }) => label),
      }
    },
    template: 'pages/my-account/overview',
  })

/** Returns the tabs of My account; a customer's are items of the navigation. */
export const tabsOf = ({ base }: Section) =>
  base === '/my-account'
    ? [
        { label: t('myAccount.sign'), address: base },
        { label: t('myAccount.apiTokens'), address: `${base}/tokens` },
      ]
    : undefined
