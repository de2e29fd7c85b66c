import { batched, roundTrips } from '../batched.ts'
import type { Pool, Transaction } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { Handler } from '../http/handle.ts'
import type { Licensing } from '../http/licensing.ts'
import { answer, job, type Perform } from '../http/carry-out.ts'
import { json } from '../http/reply.ts'
import { parse, parseBody, type ApiRequest } from '../http/request.ts'
import * as accounts from '../model/accounts.ts'
import { hashForLinux } from '../model/linux-password.ts'
import * as packages from '../model/packages.ts'
import * as signOns from '../model/sign-ons.ts'
import * as sites from '../model/sites.ts'
import * as usage from '../model/usage.ts'

/** GET /accounts: a page of those that the caller sees. */
export const listAccounts =
  (pool: Pool): Handler =>
  async ({ caller, query }) =>
    json(200, await accounts.list(pool, caller, parse(accounts.AccountFilter, query)))

/** GET /accounts/{username} */
export const getAccount = (pool: Pool): Handler => {
  const find = batched((wanted: Wanted[]) => accounts.findMany(pool, wanted), roundTrips)
  return async ({ caller, params }) => {
    const record = await find({ owner: caller, username: params['username']! })
    if (record === undefined) throw accounts.unknown(params['username']!)
    return json(200, accounts.toAccount(record))
  }
}

type Wanted = Parameters<typeof accounts.findMany>[1][number]

/** GET /accounts/{username}/usage */
export const getUsage =
  (pool: Pool): Handler =>
  async ({ caller, params }) =>
    json(200, await usage.get(pool, caller, params['username']!))

/** GET /usage: every account of the caller in one call, one query. */
export const listUsage =
  (pool: Pool): Handler =>
  async ({ caller }) =>
    json(200, { usage: await usage.list(pool, caller) })

/** POST /accounts: the clear password goes no further than its hash, made before the claim. */
export const createAccount =
  (perform: Perform, licensing: Licensing, ownNames: readonly string[]): Handler =>
  request =>
    perform(
      request,
      async (transaction, { password: passwordHash, ...wanted }) => {
        const { sellerId } = request.caller
        if (wanted.domain) sites.refuseOwn(wanted.domain, ownNames)
        const sold = await packages.getForSale(transaction, sellerId, wanted.package)
        if (wanted.domain && sold.maxSites === 0) {
          throw new PanelError(
            'invalid',
            `domain is not possible: ${wanted.package} has no website`,
          )
        }
        const { maxAccounts } = licensing.require()
        const account = { ...wanted, passwordHash }
        const id = await accounts.add(transaction, sellerId, sold.id, account, maxAccounts)
        return job('account/create', id)
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
      const { id } = await accountOf(transaction, request)
      return job('account/suspend', id, {
        wanted: 'suspended',
        suspend_reason: reason ?? null,
        suspended_by: request.caller.role,
      })
    })

/** POST /accounts/{username}/unsuspend: a reseller cannot lift an administrator's suspension. */
export const unsuspendAccount =
  (perform: Perform): Handler =>
  request =>
    perform(request, async transaction => {
      parseBody(request, accounts.EmptyBody)
      const account = await accountOf(transaction, request)
      if (request.caller.role === 'reseller' && account.suspendedBy === 'administrator') {
        throw new PanelError('forbidden', 'An administrator has suspended this account')
      }
      return job('account/unsuspend', account.id, {
        wanted: 'active',
        suspend_reason: null,
        suspended_by: null,
      })
    })

/** PUT /accounts/{username}/package: from the catalogue of the account's seller, whoever asks. */
export const changePackage =
  (perform: Perform): Handler =>
  request =>
    perform(request, async transaction => {
      const { package: name } = parseBody(request, accounts.PackageBody)
      const account = await accountOf(transaction, request)
      const sold = await packages.getForSale(transaction, account.sellerId, name)
      // Who stays on a package that was made smaller may go on with what there is.
      const isOther = account.package.name !== name
      if (isOther && account.sites.length > sold.maxSites) {
        throw new PanelError(
          'invalid',
          `package ${name} allows ${sold.maxSites} websites; the account has more`,
        )
      }
      await accounts.judgePackage(transaction, account.id, sold.id)
      return job('account/change-package', account.id, { package_id: sold.id })
    })

/** PUT /accounts/{username}/password */
export const setPassword =
  (perform: Perform): Handler =>
  request =>
    perform(
      request,
      async (transaction, passwordHash) => {
        const { id } = await accountOf(transaction, request)
        return job('account/set-password', id, { password_hash: passwordHash })
      },
      async () => hashForLinux(parseBody(request, accounts.PasswordBody).password),
    )

/** DELETE /accounts/{username} */
export const terminateAccount =
  (perform: Perform): Handler =>
  request =>
    perform(request, async transaction => {
      parseBody(request, accounts.EmptyBody)
      const { id } = await accountOf(transaction, request)
      return job('account/terminate', id, { wanted: 'terminated' })
    })

/** POST /accounts/{username}/login: the link's secret is minted here, and stored only hashed. */
export const signOn =
  (perform: Perform, baseUrl: string): Handler =>
  request =>
    perform(request, async transaction => {
      parseBody(request, accounts.EmptyBody)
      const { id, state } = await accountOf(transaction, request)
      if (state !== 'active') {
        throw new PanelError('invalid', `The account is ${state}; only an active one can sign on`)
      }
      const { token, expiresAt } = await signOns.mint(transaction, id)
      const link = { url: `${baseUrl}/sso/${token}`, expires_at: expiresAt.toISOString() }
      return answer(200, link, { isSealed: true })
    })

const accountOf = (transaction: Transaction, { caller, params }: ApiRequest) =>
  accounts.get(transaction, caller, params['username']!)
