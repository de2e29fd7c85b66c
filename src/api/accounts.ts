import { batched } from '../batched.ts'
import * as writes from '../model/accounts/account-writes.ts'
import { AccountFilter, AccountPage, list } from '../model/accounts/account-search.ts'
import { Account, findMany, toAccount, unknown } from '../model/accounts/accounts.ts'
import type { Caller } from '../model/signing-in/callers.ts'
import { SignOnLink } from '../model/signing-in/sign-ons.ts'
import { EmptyBody, reading, writing, type Endpoint } from './endpoint.ts'
import { account, link, newAccount, suspended } from './examples.ts'

const one = { schema: Account, example: account }

// What a write wants whose path names the account.
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
      'By username, a page at a time: an administrator sees every account of the server, a ' +
      'reseller those of its customers. Send `next` as `after` until it is null.',
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
      'With `domain`, its first website is created as well, and a certificate is issued where ' +
      'the domain points to the server. A create completes or leaves nothing behind. A username ' +
      'or domain that is taken is refused with 400.',
    body: { schema: writes.NewAccount, example: newAccount, isRequired: true },
    answers: { 201: { description: 'The account is there', hasLocation: true, ...one } },
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
    description: "Another seller's account and a terminated one are unknown.",
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
      'Removes it with its websites and files, for good. Its name is free with the answer. A ' +
      'reseller cannot terminate what an administrator has suspended: 403.',
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
      'The link opens a session of the account, once and within 60 seconds. Refused with 400 ' +
      "where the account is not active. The session ends with a change of the account's password " +
      'or a suspension, and with the token that asked for it.',
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
    description: 'Billing systems send it when their customer has another one.',
    body: {
      schema: writes.EmailChange,
      example: { email: 'alice@example.org' },
      isRequired: true,
    },
    answers: {
      200: {
        description: 'The account has the address',
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
      'Suspending a suspended account succeeds and changes nothing, but that an administrator ' +
      "takes over a reseller's suspension, with a reason of its own.",
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
      "To one of the account's seller. Refused with 400 where the account has more websites than " +
      'the package allows. More used disk than the new quota is no reason: writes fail until ' +
      'there is room. A suspended account stays suspended.',
    body: { schema: writes.PackageChange, example: { package: 'starter' }, isRequired: true },
    answers: { 200: { description: 'The account has the package', ...one } },
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
    answers: { 200: { description: 'The account has the password', ...one } },
    refusals: ['not_found'],
    write: writes.setPassword,
    toDesired: named,
  }),
]
