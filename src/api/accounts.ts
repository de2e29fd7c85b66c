import type { Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { Handler } from '../http/handle.ts'
import { job, type Perform } from '../http/perform.ts'
import { json } from '../http/reply.ts'
import { parseBody } from '../http/request.ts'
import * as accounts from '../model/accounts.ts'
import { hashForLinux } from '../model/linux-password.ts'
import * as packages from '../model/packages.ts'

/** GET /accounts/{username} */
export const getAccount =
  (pool: Pool): Handler =>
  async ({ caller, params }) =>
    json(200, accounts.toAccount(await accounts.get(pool, caller, params['username']!)))

/** POST /accounts: the clear password goes no further than its hash, made before the claim. */
export const createAccount =
  (perform: Perform): Handler =>
  request =>
    perform(
      request,
      async (transaction, { password: passwordHash, ...wanted }) => {
        const { sellerId } = request.caller
        const sold = await packages.getForSale(transaction, sellerId, wanted.package)
        if (wanted.domain && sold.maxSites === 0) {
          throw new PanelError('invalid', `domain: package ${wanted.package} allows no website`)
        }
        const { username, email, domain } = wanted
        const account = { username, email, domain, passwordHash }
        return job('account/create', await accounts.add(transaction, sellerId, sold.id, account))
      },
      async () => {
        const wanted = parseBody(request, accounts.NewAccount)
        return { ...wanted, password: await hashForLinux(wanted.password) }
      },
    )

/** POST /accounts/{username}/suspend */
export const suspendAccount =
  (perform: Perform): Handler =>
  request =>
    perform(request, async transaction => {
      const { reason } = parseBody(request, accounts.SuspendBody)
      const { caller, params } = request
      const { id } = await accounts.get(transaction, caller, params['username']!)
      return job('account/suspend', id, {
        wanted: 'suspended',
        suspend_reason: reason ?? null,
        suspended_by: caller.role,
      })
    })

/** POST /accounts/{username}/unsuspend */
export const unsuspendAccount =
  (perform: Perform): Handler =>
  request =>
    perform(request, async transaction => {
      parseBody(request, accounts.EmptyBody)
      const { caller, params } = request
      const account = await accounts.get(transaction, caller, params['username']!)
      if (caller.role === 'reseller' && account.suspendedBy === 'administrator') {
        throw new PanelError('forbidden', 'An administrator has suspended this account')
      }
      return job('account/unsuspend', account.id, {
        wanted: 'active',
        suspend_reason: null,
        suspended_by: null,
      })
    })
