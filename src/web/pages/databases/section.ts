import { get } from '../../../model/accounts/accounts.ts'
import { fill } from '../../addresses.ts'
import { customers, operators, type PageRequest, type Role } from '../../page.ts'
import { pathOf } from '../accounts/shown.ts'

// The two sections with databases: a customer's own, and those of an account.

type Names = { username?: string; database: string }
type Asked = Pick<PageRequest, 'pool' | 'caller' | 'session'> & { params: object }

export type DatabaseSection = {
  /** The path of a database. */
  path: string
  roles: readonly Role[]
  /** The page that the database is shown on. */
  parentOf: (params: object) => string
  usernameOf: (asked: Pick<Asked, 'session' | 'params'>) => string
}

export const ofCustomer: DatabaseSection = {
  path: '/account/databases/:database',
  roles: customers,
  parentOf: params => addressOf(ofCustomer, params),
  usernameOf: ({ session }) => session.name,
}

export const ofOperators: DatabaseSection = {
  path: '/accounts/:username/databases/:database',
  roles: operators,
  parentOf: params => pathOf(namesOf(params).username ?? ''),
  usernameOf: ({ params }) => namesOf(params).username ?? '',
}

export const namesOf = (params: object): Names => params as Names

/** Returns the address of the database. */
export const addressOf = ({ path }: DatabaseSection, params: object): string =>
  fill(path, namesOf(params) as Record<string, string>)

/** Returns the account that the databases belong to, if the caller may see it. */
export const accountOf = (section: DatabaseSection, asked: Asked) =>
  get(asked.pool, asked.caller, section.usernameOf(asked))
