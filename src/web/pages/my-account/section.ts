import { isOwnPassword } from '../../../model/signing-in/sign-in.ts'
import { refuse } from '../../form.ts'
import {
  customers,
  operators,
  type NavigationItem,
  type PageRequest,
  type Role,
} from '../../page.ts'
import { count } from '../../words.ts'

// The pages about the own sign-in: operators' below /my-account, customers' below /account.

export type Section = {
  base: string
  roles: readonly Role[]
  title: string
  history: string
  navigation: NavigationItem
}

export const sections: Record<'operator' | 'customer', Section> = {
  operator: {
    base: '/my-account',
    roles: operators,
    title: 'My account',
    history: '/history',
    navigation: { label: 'My account', icon: 'user-round' },
  },
  customer: {
    base: '/account/security',
    roles: customers,
    title: 'Sign-in and security',
    history: '/account/history',
    navigation: { label: 'Sign-in', icon: 'shield', isPersonal: true },
  },
}

/** Checks the password again, before a change of who can sign in. */
export async function provePassword(
  { pool, session }: Pick<PageRequest, 'pool' | 'session'>,
  current: string,
): Promise<void> {
  const verdict = await isOwnPassword(pool, session, current)
  if (verdict === 'right') return
  if (verdict === 'wrong') refuse({ current: 'This is not your password' })
  refuse({ current: `Too many attempts: wait ${count(verdict.seconds, 'second')}` })
}
