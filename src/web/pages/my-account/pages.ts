import type { Page } from '../../page.ts'
import { signInOverview } from './overview.ts'
import { noticesForm } from './notices.ts'
import { customerPassword, operatorPassword } from './password.ts'
import { sections, type Section } from './section.ts'
import { secondFactorForms } from './second-factor.ts'
import { sessionForms } from './sessions.ts'
import { signOut, signOutCustomer } from './sign-out.ts'
import { newToken, revoke, tokenList } from './tokens.ts'

const signInPages = (section: Section): Page[] => [
  signInOverview(section),
  ...secondFactorForms(section),
  ...Object.values(sessionForms(section)),
  noticesForm(section),
]

/** The pages about an operator's own sign-in. */
export const myAccount: Page[] = [
  ...signInPages(sections.operator),
  operatorPassword,
  tokenList,
  newToken,
  revoke,
  signOut,
]

/** The same for customers. */
export const customerSignIn: Page[] = [
  ...signInPages(sections.customer),
  customerPassword,
  signOutCustomer,
]
