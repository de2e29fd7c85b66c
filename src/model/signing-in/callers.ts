import { type Db, type Sql, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { operationNames, type OperationName } from '../operations/operation-names.ts'

// Callers through every channel: a token, a session, or root on the command line. This file decides
// what each may see and do.

export type Caller = {
  /** The owner of its Idempotency-Keys: `token:7`, `session:9` or `root`. */
  id: string
  role: 'administrator' | 'reseller' | 'customer'
  /** The seller whose catalogue the caller manages or, for a customer, has bought from. */
  sellerId: string
  /** The account, for a customer. */
  accountId: string | null
  /** The operator who is signed in as this customer; absent without impersonation. */
  impersonator?: string
  /** The address of the caller, if known. */
  address: string | null
}

/** The fields that decide which accounts a caller sees. */
export type Sight = Pick<Caller, 'role' | 'sellerId' | 'accountId'>

const root = 'root'

/**
 * Returns which accounts a caller sees, for `(<all> or seller_id = <seller> or id = <account>)`: an
 * administrator all, a reseller its customers', a customer its own.
 */
export const scopeOf = ({ role, sellerId, accountId }: Sight) => ({
  all: role === 'administrator',
  seller: role === 'customer' ? null : sellerId,
  account: accountId,
})

/** Returns the same as a condition on the accounts `a`. */
export function isSeenBy(caller: Sight): Sql {
  const { all, seller, account } = scopeOf(caller)
  return sql`(${all} or a.seller_id = ${seller} or a.id = ${account})`
}

/**
 * Checks that the caller's role may request an operation.
 *
 * @throws {PanelError} `forbidden`
 */
export function requireRole({ role, impersonator }: Caller, name: OperationName): void {
  const { roles, isPersonal }: { roles: readonly string[]; isPersonal?: true } =
    operationNames[name]
  if (!roles.includes(role)) throw new PanelError('forbidden', `A ${role} may not do this`)
  if (isPersonal && impersonator !== undefined) {
    throw new PanelError('forbidden', 'Only the customer can do this, signed in themselves')
  }
}

/** Returns whether the caller's operation may override an administrator's suspension. */
export const mayLift = ({ role }: Caller, name: OperationName): boolean =>
  role === 'administrator' || !('lifts' in operationNames[name])

/** Returns whether the caller is root on the command line. */
export const isRoot = ({ id }: Pick<Caller, 'id'>): boolean => id === root

/**
 * Returns root on the command line as a caller, who acts for the server's own seller, as every
 * administrator does.
 */
export async function rootCaller(db: Db): Promise<Caller> {
  const sellerId = await oneFirst<string>(db)`select id from panel.sellers where is_own`
  return { id: root, role: 'administrator', sellerId, accountId: null, address: null }
}
