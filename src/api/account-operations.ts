import { Account, AccountFilter, AccountPage, EmptyBody, NewAccount } from '../model/accounts.ts'
import { SignOnLink } from '../model/sign-ons.ts'
import * as accounts from './accounts.ts'
import { account, link, newAccount } from './examples.ts'
import type { Operation } from './operation.ts'

const one = { schema: Account, example: account }

/** The operations that begin, show and end an account. */
export const accountOperations: Operation[] = [
  {
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
    refusals: ['invalid'],
    handler: ({ pool }) => accounts.listAccounts(pool),
  },
  {
    id: 'createAccount',
    method: 'POST',
    path: '/accounts',
    tag: 'Accounts',
    summary: 'Create an account',
    description:
      'With `domain`, its first website is created as well, and a certificate is issued where ' +
      'the domain points to the server. A create completes or leaves nothing behind. A username ' +
      'or domain that is taken is refused with 400.',
    body: { schema: NewAccount, example: newAccount, isRequired: true },
    answers: { 201: { description: 'The account is there', hasLocation: true, ...one } },
    refusals: ['license_limit'],
    isWork: true,
    handler: ({ perform, licensing, ownNames }) =>
      accounts.createAccount(perform, licensing, ownNames),
  },
  {
    id: 'getAccount',
    method: 'GET',
    path: '/accounts/{username}',
    tag: 'Accounts',
    summary: 'Get an account',
    description: "Another seller's account and a terminated one are unknown.",
    answers: { 200: { description: 'The account', ...one } },
    refusals: ['invalid', 'not_found'],
    handler: ({ pool }) => accounts.getAccount(pool),
  },
  {
    id: 'terminateAccount',
    method: 'DELETE',
    path: '/accounts/{username}',
    tag: 'Accounts',
    summary: 'Terminate an account',
    description:
      'Removes it with its websites and files, for good. Its name is free with the answer.',
    body: { schema: EmptyBody },
    answers: {
      200: {
        description: 'The last record of the account',
        schema: Account,
        example: { ...account, state: 'terminated' },
      },
    },
    refusals: ['not_found'],
    isWork: true,
    handler: ({ perform }) => accounts.terminateAccount(perform),
  },
  {
    id: 'signOn',
    method: 'POST',
    path: '/accounts/{username}/login',
    tag: 'Accounts',
    summary: 'Get a single sign-on link',
    description:
      'The link opens a session of the account, once and within 60 seconds. Refused with 400 ' +
      'where the account is not active.',
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The link', schema: SignOnLink, example: link } },
    refusals: ['not_found'],
    handler: ({ perform, baseUrl }) => accounts.signOn(perform, baseUrl),
  },
]
