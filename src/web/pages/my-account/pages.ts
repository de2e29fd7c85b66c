import type { Page } from '../../page.ts'
import { signInOverview } from './overview.ts'
import { customerPassword, ownerPassword } from './password.ts'
import { places } from './place.ts'
import { secondFactorForms } from './second-factor.ts'
import { sessionForms } from './sessions.ts'
import { signOut, signOutCustomer } from './sign-out.ts'
import { newToken, revoke, tokenList } from './tokens.ts'

/** What everybody sees and changes of the own sign-in. */
export const myAccount: Page[] = [
  ...Object.values(places).flatMap(place => [
    signInOverview(place),
    ...secondFactorForms(place),
    ...Object.values(sessionForms(place)),
  ]),
  ownerPassword,
  customerPassword,
  tokenList,
  newToken,
  revoke,
  signOut,
  signOutCustomer,
]
