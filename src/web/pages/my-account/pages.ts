import type { Page } from '../../page.ts'
import { signInOverview } from './overview.ts'
import { customerPassword, operatorPassword } from './password.ts'
import { places, type Place } from './place.ts'
import { secondFactorForms } from './second-factor.ts'
import { sessionForms } from './sessions.ts'
import { signOut, signOutCustomer } from './sign-out.ts'
import { newToken, revoke, tokenList } from './tokens.ts'

const signInPages = (place: Place): Page[] => [
  signInOverview(place),
  ...secondFactorForms(place),
  ...Object.values(sessionForms(place)),
]

/** The pages about an operator's own sign-in. */
export const myAccount: Page[] = [
  ...signInPages(places.operator),
  operatorPassword,
  tokenList,
  newToken,
  revoke,
  signOut,
]

/** The same for customers. */
export const customerSignIn: Page[] = [
  ...signInPages(places.customer),
  customerPassword,
  signOutCustomer,
]
