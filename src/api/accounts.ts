import { batched } from '../batched.ts'
import * as writes from '../model/accounts/account-writes.ts'
import { AccountFilter, AccountPage, list } from '../model/accounts/account-search.ts'
import { Account, findMany, toAccount, unknown } from '../model/accounts/accounts.ts'
import type { Caller } from '../model/signing-in/callers.ts'
import { SignOnLink } from '../model/signing-in/sign-ons.ts'
import { EmptyBody, reading, writing, type Endpoint } from './endpoint.ts'
import { account, link, newAccount, suspended } from './examples.ts'

const one = { schema: Account, example: account }

// Combines the username in the path with the fields of the body, as the input of a write.
const named = <Body extends object>(params: { username: string }, body: Body) => ({
  ...params,
  ...body,
})

/** The endpoints of accounts. */
export const accountEndpoints: Endpoint[] = [
  reading({
    id: 'listAccounts',
    method: 'GET',
    path: '/accounts',
    tag: 'Accounts',
    summary: 'List accounts',
    description:
      'Sorted by username, in pages: an administrator sees every account on the server, a ' +
      'reseller those of its customers. Pass `next` as `after` until it is null.',
    query: AccountFilter,
    answers: {
      200: {
        description: 'A page of accounts',
        schema: AccountPage,
        example: { accounts: [account], next: null },
      },
    },
    refusals: [],
    read:
      ({ pool }) =>
      ({ caller, query }) =>
        list(pool, caller, query),
  }),
  writing({
    id: 'createAccount',
    method: 'POST',
    path: '/accounts',
    tag: 'Accounts',
    summary: 'Create an account',
    description:
      'With `domain`, its first website is created as well, and a certificate is issued if ' +
      'the domain points to the server. A create either completes or leaves nothing behind. A ' +
      'username or domain that is taken is refused with 400.',
    body: { schema: writes.NewAccount, example: newAccount, isRequired: true },
    answers: { 201: { description: 'The account was created', hasLocation: true, ...one } },
    refusals: ['license_limit'],
    write: writes.create,
    toDesired: (_, body) => body,
  }),
  reading({
    id: 'getAccount',
    method: 'GET',
    path: '/accounts/{username}',
    tag: 'Accounts',
    summary: 'Get an account',
    description: "Another seller's account or a terminated one is not found.",
    answers: { 200: { description: 'The account', ...one } },
    refusals: ['not_found'],
    read: ({ pool }) => {
      type Desired = { caller: Caller; username: string }
      const find = batched((desired: Desired[]) => findMany(pool, desired))
      return async ({ caller, params: { username } }) => {
        const record = await find({ caller, username })
        if (record === undefined) throw unknown(username)
        return toAccount(record)
      }
    },
  }),
  writing({
    id: 'terminateAccount',
    method: 'DELETE',
    path: '/accounts/{username}',
    tag: 'Accounts',
    summary: 'Terminate an account',
    description:
      'Permanently deletes it with its websites and files. Its username is free as soon as this ' +
      'is answered. A reseller cannot terminate an account that an administrator suspended: 403.',
    body: { schema: EmptyBody },
    answers: {
      200: {
        description: 'The last record of the account',
        schema: Account,
        example: { ...account, state: 'terminated' },
      },
    },
    refusals: ['not_found'],
    write: writes.terminate,
    toDesired: named,
  }),
  writing({
    id: 'signOn',
    method: 'POST',
    path: '/accounts/{username}/login',
    tag: 'Accounts',
    summary: 'Get a single sign-on link',
    description:
      'The link opens a session for the account, once and within 60 seconds. Refused with 400 ' +
      "if the account is not active. The session ends when the account's password is changed, " +
      'when it is suspended, and when the token that requested the link is revoked or expires.',
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The link', schema: SignOnLink, example: link } },
    refusals: ['not_found'],
    write: writes.login,
    toDesired: named,
  }),
  writing({
    id: 'changeAccount',
    method: 'PATCH',
    path: '/accounts/{username}',
    tag: 'Accounts',
    summary: "Change an account's e-mail address",
    description: 'Billing systems send it when the customer changes their address.',
    body: {
      schema: writes.EmailChange,
      example: { email: 'alice@example.org' },
      isRequired: true,
    },
    answers: {
      200: {
        description: 'The address was changed',
        schema: Account,
        example: { ...account, email: 'alice@example.org' },
      },
    },
    refusals: ['not_found'],
    write: writes.setEmail,
    toDesired: named,
  }),
  writing({
    id: 'suspendAccount',
    method: 'POST',
    path: '/accounts/{username}/suspend',
    tag: 'Accounts',
    summary: 'Suspend an account',
    description:
      'Its websites show that it is suspended, and it cannot sign in. Nothing is deleted. ' +
      'Suspending a suspended account succeeds and changes nothing, except that an ' +
      "administrator takes over a reseller's suspension, with a reason of their own.",
    body: { schema: writes.Suspension, example: { reason: suspended.suspend_reason } },
    answers: {
      200: { description: 'The account is suspended', schema: Account, example: suspended },
    },
    refusals: ['not_found'],
    write: writes.suspend,
    toDesired: named,
  }),
  writing({
    id: 'unsuspendAccount',
    method: 'POST',
    path: '/accounts/{username}/unsuspend',
    tag: 'Accounts',
    summary: 'Unsuspend an account',
    description:
      'Unsuspending an active account succeeds and changes nothing. A reseller cannot lift the ' +
      'suspension of an administrator: 403.',
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The account is active', ...one } },
    refusals: ['not_found'],
    write: writes.unsuspend,
    toDesired: named,
  }),
  writing({
    id: 'changePackage',
    method: 'PUT',
    path: '/accounts/{username}/package',
    tag: 'Accounts',
    summary: "Change an account's package",
    description:
      "The package must be one of the account's seller. Refused with 400 if the account has more " +
      'websites than it allows. Using more disk than the new quota is not refused: writes fail ' +
      'until space is freed. A suspended account stays suspended.',
    body: { schema: writes.PackageChange, example: { package: 'starter' }, isRequired: true },
    answers: { 200: { description: 'The package was changed', ...one } },
    refusals: ['not_found'],
    write: writes.changePackage,
    toDesired: named,
  }),
  writing({
    id: 'setPassword',
    method: 'PUT',
    path: '/accounts/{username}/password',
    tag: 'Accounts',
    summary: "Set an account's password",
    description: 'The password is stored only as a hash. A suspended account stays locked.',
    body: {
      schema: writes.PasswordChange,
      example: { password: 'another horse battery' },
      isRequired: true,
    },
    answers: { 200: { description: 'The password was set', ...one } },
    refusals: ['not_found'],
    write: writes.setPassword,
    toDesired: named,
  }),
]
