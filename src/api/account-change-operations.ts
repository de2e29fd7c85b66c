import { Account, EmptyBody, PackageBody, PasswordBody, SuspendBody } from '../model/accounts.ts'
import * as accounts from './accounts.ts'
import { account, suspended } from './examples.ts'
import type { Operation } from './operation.ts'

const one = { schema: Account, example: account }

/** The operations that change an account. */
export const accountChangeOperations: Operation[] = [
  {
    id: 'suspendAccount',
    method: 'POST',
    path: '/accounts/{username}/suspend',
    tag: 'Accounts',
    summary: 'Suspend an account',
    description:
      'Its websites show that it is suspended, and it cannot sign in. Nothing is deleted. ' +
      'Suspending a suspended account succeeds and changes nothing.',
    body: { schema: SuspendBody, example: { reason: suspended.suspend_reason } },
    answers: {
      200: { description: 'The account is suspended', schema: Account, example: suspended },
    },
    refusals: ['not_found'],
    isWork: true,
    handler: ({ perform }) => accounts.suspendAccount(perform),
  },
  {
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
    isWork: true,
    handler: ({ perform }) => accounts.unsuspendAccount(perform),
  },
  {
    id: 'changePackage',
    method: 'PUT',
    path: '/accounts/{username}/package',
    tag: 'Accounts',
    summary: "Change an account's package",
    description:
      "To one of the account's seller. Refused with 400 where the account has more websites than " +
      'the package allows. More used disk than the new quota is no reason: writes fail until ' +
      'there is room. A suspended account stays suspended.',
    body: { schema: PackageBody, example: { package: 'starter' }, isRequired: true },
    answers: { 200: { description: 'The account has the package', ...one } },
    refusals: ['not_found'],
    isWork: true,
    handler: ({ perform }) => accounts.changePackage(perform),
  },
  {
    id: 'setPassword',
    method: 'PUT',
    path: '/accounts/{username}/password',
    tag: 'Accounts',
    summary: "Set an account's password",
    description: 'The password is stored only as a hash. A suspended account stays locked.',
    body: {
      schema: PasswordBody,
      example: { password: 'another horse battery' },
      isRequired: true,
    },
    answers: { 200: { description: 'The account has the password', ...one } },
    refusals: ['not_found'],
    isWork: true,
    handler: ({ perform }) => accounts.setPassword(perform),
  },
]
