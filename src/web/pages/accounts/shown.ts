import type { AccountRecord } from '../../../model/accounts/accounts.ts'
import * as accounts from '../../../model/accounts/accounts.ts'
import { mayLift, type Caller } from '../../../model/signing-in/callers.ts'
import type { PageRequest } from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'

// The head of each page about an account: its name, its state, what can be done with it, its tabs.

export const pathOf = (username: string, ...parts: string[]): string =>
  ['/accounts', encodeURIComponent(username), ...parts].join('/')

/** @throws {PanelError} `account_unknown` where the caller doesn't see it */
export async function showAccount(
  asked: Pick<PageRequest, 'pool' | 'caller' | 'session'>,
  username: string,
) {
  return shownAs(await accounts.get(asked.pool, asked.caller, username), asked)
}

/** Returns the same for a record that is already known. */
export const shownAs = (
  record: AccountRecord,
  { caller, session }: Pick<PageRequest, 'caller' | 'session'>,
) => ({
  record,
  account: accounts.toAccount(record),
  isSuspendedByAdmin: isLockedFor(caller, record),
  ...headOf(record, caller, session.hasMail),
})

/** Returns whether an administrator has suspended it, and the caller cannot lift that. */
export const isLockedFor = (caller: Caller, { suspendedBy }: AccountRecord): boolean =>
  suspendedBy === 'administrator' && !mayLift(caller, 'account/unsuspend')

/** Returns the text of a form that the caller may not send, instead of what it would do. */
export const lockedNotice = (caller: Caller, record: AccountRecord) =>
  isLockedFor(caller, record)
    ? {
        words: [whoSuspended(record), t('accounts.onlyAdministratorCanRemove')],
        isIdle: true,
      }
    : undefined

/** Returns whether the caller can take over its reseller's suspension. */
export const mayTakeOver = ({ role }: Caller, { suspendedBy }: AccountRecord): boolean =>
  suspendedBy === 'reseller' && role === 'administrator'

/** Returns who has suspended it, and why. */
export const whoSuspended = ({ suspension }: AccountRecord): string => {
  const who =
    suspension?.by === 'administrator' ? t('accounts.administrator') : t('accounts.reseller')
  return t('accounts.suspendedByWhy', {
    who,
    hasReason: suspension?.reason ? 'yes' : 'no',
    reason: suspension?.reason ? suspension.reason : '',
  })
}

const tabs: { label: PlainKey; parts: string[]; needsMail?: true }[] = [
  { label: 'accounts.overview', parts: [] },
  { label: 'accounts.settings', parts: ['settings'] },
  { label: 'mail.mail', parts: ['mail'], needsMail: true },
  { label: 'cron.cronJobs', parts: ['cron-jobs'] },
  { label: 'backups.backups', parts: ['backups'] },
  { label: 'accounts.jobs', parts: ['jobs'] },
  { label: 'accounts.history', parts: ['history'] },
]

const headOf = (record: AccountRecord, caller: Caller, hasMail: boolean) => {
  const { username, state } = record
  const to = (label: string, part: string) => ({ label, address: pathOf(username, part) })
  const lifting = isLockedFor(caller, record)
    ? []
    : [
        ...(mayTakeOver(caller, record) ? [to(t('accounts.takeOverSuspension'), 'suspend')] : []),
        state === 'suspended'
          ? to(t('accounts.unsuspend'), 'unsuspend')
          : to(t('accounts.suspend'), 'suspend'),
        { ...to(t('accounts.terminate'), 'terminate'), look: 'danger' },
      ]
  return {
    head: {
      title: username,
      state,
      parent: '/accounts',
      tabs: tabs
        .filter(({ needsMail }) => hasMail || !needsMail)
        .map(({ label, parts }) => ({
          label: t(label),
          address: pathOf(username, ...parts),
        })),
      // Actions that would be refused are not offered.
      actions: [
        ...(state === 'active' ? [to(t('accounts.sign'), 'sign-in-as')] : []),
        ...(state === 'terminating'
          ? []
          : [to(t('accounts.changePackage'), 'package'), ...lifting]),
      ],
    },
  }
}
