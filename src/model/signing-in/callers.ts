import { type Db, type Sql, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { operationNames, type OperationName } from '../operations/operation-names.ts'

// Who asks, by whichever channel: a token, a session, or root on the command line. What each may
// see and do is decided here.

export type Caller = {
  /** Whom its Idempotency-Keys belong to: `token:7`, `session:9` or `root`. */
  id: string
  role: 'administrator' | 'reseller' | 'customer'
  /** Whose packages it sells, or has bought. */
  sellerId: string
  /** The account that it is, for a customer. */
  accountId: string | null
  /** The owner who has signed in as this customer; absent where it is itself. */
  impersonator?: string
  /** Where it asks from, where that is known. */
  address: string | null
}

/** What decides which accounts a caller sees. */
export type Sight = Pick<Caller, 'role' | 'sellerId' | 'accountId'>

const root = 'root'

/**
 * Which accounts a caller sees, for `(<all> or seller_id = <seller> or id = <account>)`: an
 * administrator all, a reseller its customers', a customer its own.
 */
export const scopeOf = ({ role, sellerId, accountId }: Sight) => ({
  all: role === 'administrator',
  seller: role === 'customer' ? null : sellerId,
  account: accountId,
})

/** The same as a condition on the accounts `a`. */
export function isSeenBy(caller: Sight): Sql {
  const { all, seller, account } = scopeOf(caller)
  return sql`(${all} or a.seller_id = ${seller} or a.id = ${account})`
}

/** @throws {PanelError} `forbidden` where the caller's role may not ask for such an operation */
export function requireRole({ role, impersonator }: Caller, name: OperationName): void {
  const { roles, isPersonal }: { roles: readonly string[]; isPersonal?: true } =
    operationNames[name]
  if (!roles.includes(role)) throw new PanelError('forbidden', `A ${role} may not do this`)
  if (isPersonal && impersonator !== undefined) {
    throw new PanelError('forbidden', 'Only the customer can do this, signed in themselves')
  }
}

/** Whether the caller's operation of that name may go against an administrator's suspension. */
export const mayLift = ({ role }: Caller, name: OperationName): boolean =>
  role === 'administrator' || !('lifts' in operationNames[name])

/** Whether root asks on the command line. */
export const isRoot = ({ id }: Pick<Caller, 'id'>): boolean => id === root

/** Root on the command line, who acts for the house as every administrator does. */
export async function rootCaller(db: Db): Promise<Caller> {
  const sellerId = await oneFirst<string>(db)`select id from panel.sellers where is_own`
  return { id: root, role: 'administrator', sellerId, accountId: null, address: null }
}
