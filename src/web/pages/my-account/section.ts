import { isOwnPassword } from '../../../model/signing-in/sign-in.ts'
import { refuse } from '../../form.ts'
import {
  customers,
  operators,
  type NavigationItem,
  type PageRequest,
  type Role,
} from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'

// The pages about the own sign-in: operators' below /my-account, customers' below /account.

export type Section = {
  base: string
  roles: readonly Role[]
  title: PlainKey
  history: string
  navigation: NavigationItem
}

export const sections: Record<'operator' | 'customer', Section> = {
  operator: {
    base: '/my-account',
    roles: operators,
    title: 'myAccount.myAccount',
    history: '/history',
    navigation: { label: 'myAccount.myAccount', icon: 'user-round' },
  },
  customer: {
    base: '/account/security',
    roles: customers,
    title: 'myAccount.signSecurity',
    history: '/account/history',
    navigation: { label: 'myAccount.sign', icon: 'shield', isPersonal: true },
  },
}

/** Checks the password again, before a change of who can sign in. */
export async function provePassword(
  { pool, session }: Pick<PageRequest, 'pool' | 'session'>,
  current: string,
): Promise<void> {
  const verdict = await isOwnPassword(pool, session, current)
  if (verdict === 'right') return
  if (verdict === 'wrong') refuse({ current: t('myAccount.notYourPassword') })
  refuse({ current: t('myAccount.tooManyAttemptsWait', { seconds: verdict.seconds }) })
}
