import type { AccountRecord } from '../../../model/accounts.ts'
import * as accounts from '../../../model/accounts.ts'
import type { PageRequest } from '../../page.ts'

// The head of each page about an account: its name, its state, what can be done with it, its tabs.

export const pathOf = (username: string, ...parts: string[]): string =>
  ['/accounts', encodeURIComponent(username), ...parts].join('/')

/** @throws {PanelError} `account_unknown` where the caller doesn't see it */
export async function showAccount(
  { pool, caller }: Pick<PageRequest, 'pool' | 'caller'>,
  username: string,
) {
  return shownAs(await accounts.get(pool, caller, username))
}

/** The same of one that is known already. */
export const shownAs = (record: AccountRecord) => ({
  record,
  account: accounts.toAccount(record),
  ...headOf(record),
})

const tabs = [
  { label: 'Overview', parts: [] },
  { label: 'Settings', parts: ['settings'] },
  { label: 'Jobs', parts: ['jobs'] },
  { label: 'History', parts: ['history'] },
]

const headOf = ({ username, state }: AccountRecord) => ({
  head: {
    title: username,
    state,
    parent: '/accounts',
    tabs: tabs.map(({ label, parts }) => ({ label, address: pathOf(username, ...parts) })),
    actions: [
      { label: 'Sign in as', address: pathOf(username, 'sign-in-as') },
      { label: 'Change package', address: pathOf(username, 'package') },
      state === 'suspended'
        ? { label: 'Unsuspend', address: pathOf(username, 'unsuspend') }
        : { label: 'Suspend', address: pathOf(username, 'suspend') },
      { label: 'Terminate', address: pathOf(username, 'terminate'), look: 'danger' },
    ],
  },
})
