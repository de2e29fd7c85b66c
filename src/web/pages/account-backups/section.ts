import * as accounts from '../../../model/accounts/accounts.ts'
import { fill } from '../../addresses.ts'
import { customers, operators, type PageRequest, type Role } from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'
import { showAccount } from '../accounts/shown.ts'

// The two sections with pages about backups: a customer's own, and those of an account.

type Names = Record<string, string>
type Asked = Pick<PageRequest, 'pool' | 'caller' | 'session'> & { params: object }

export type BackupSection = {
  path: string
  roles: readonly Role[]
  /** Whether it is the account that is signed in. */
  isOwn: boolean
  /** The item of the navigation, where it has one. */
  navigation?: { label: PlainKey; icon: string }
  usernameOf: (asked: Pick<Asked, 'session' | 'params'>) => string
  /** The head of the list. */
  headOf: (asked: Asked) => Promise<object>
}

export const ofCustomer: BackupSection = {
  path: '/account/backups',
  roles: customers,
  isOwn: true,
  navigation: { label: 'backups.backups', icon: 'rotate-ccw-clock' },
  usernameOf: ({ session }) => session.name,
  headOf: async () => ({ title: t('backups.backups'), lead: t('backups.lead') }),
}

export const ofOperators: BackupSection = {
  path: '/accounts/:username/backups',
  roles: operators,
  isOwn: false,
  usernameOf: ({ params }) => namesOf(params)['username'] ?? '',
  headOf: async asked => (await showAccount(asked, namesOf(asked.params)['username'] ?? '')).head,
}

export const namesOf = (params: object): Names => params as Names

/** Returns an address within the section. */
export const addressIn = ({ path }: BackupSection, params: object, ...rest: string[]): string =>
  [fill(path, namesOf(params)), ...rest.map(encodeURIComponent)].join('/')

/** Returns the account that the backups belong to, if the caller may see it. */
export const accountOf = (section: BackupSection, asked: Asked) =>
  accounts.get(asked.pool, asked.caller, section.usernameOf(asked))
