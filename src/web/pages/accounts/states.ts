import * as writes from '../../../model/accounts/account-writes.ts'
import * as accounts from '../../../model/accounts/accounts.ts'
import { ofAccount as databasesOf } from '../../../model/databases/databases.ts'
import * as grammar from '../../../model/grammar/grammar.ts'
import { word } from '../../api-call.ts'
import { text } from '../../fields.ts'
import { form, type FormAsked } from '../../form.ts'
import { operators } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { lockedNotice, isLockedFor, mayTakeOver, pathOf, whoSuspended } from './shown.ts'

// The forms to suspend, unsuspend and terminate: each says first what will happen.

const toAccount = ({ username }: { username: string }) => pathOf(username)

const find = ({ pool, caller, params }: FormAsked<'/:username'>) =>
  accounts.get(pool, caller, params.username)

export const suspend = form({
  path: '/accounts/:username/suspend',
  roles: operators,
  title: ({ username }) => t('accounts.suspendUsername', { username }),
  parent: toAccount,
  fields: {
    reason: text('accounts.reasonLabel', grammar.sentence, {
      example: 'Invoice 4711 is overdue',
      hint: 'accounts.reasonHint',
    }),
  },
  async load(asked) {
    const found = await find(asked)
    if (mayTakeOver(asked.caller, found)) {
      const then = t('accounts.ifYouSuspendOnly')
      return { words: [whoSuspended(found), then] }
    }
    if (found.state === 'suspended') {
      return { words: [whoSuspended(found), t('accounts.alreadySuspended')], isIdle: true }
    }
    return {
      words: [t('accounts.websitesShowSuspensionPage')],
    }
  },
  submit: 'accounts.suspend',
  // From a window that is older than the suspension: the first one's reason stays.
  flash: ({ username }, { suspend_reason: kept }, { reason = null }) =>
    kept === reason
      ? t('accounts.usernameWasSuspended', { username })
      : t('accounts.usernameWasAlreadySuspended', { username }),
  call: ({ username }, values) => ({
    method: 'POST',
    path: '/accounts/:username/suspend',
    body: values,
    command: `panel account suspend ${word(username)} --reason ${word(values['reason'])}`,
  }),
  write: writes.suspend,
  toDesired: ({ params, values }) => ({ ...params, ...values }),
})

export const unsuspend = form({
  path: '/accounts/:username/unsuspend',
  roles: operators,
  title: ({ username }) => t('accounts.unsuspendUsername', { username }),
  parent: toAccount,
  fields: {},
  async load(asked) {
    const found = await find(asked)
    if (isLockedFor(asked.caller, found)) {
      return {
        words: [whoSuspended(found), t('accounts.onlyAnAdministratorCan')],
        isIdle: true,
      }
    }
    const why = found.suspension?.reason
    const reason = why ? [t('accounts.reasonSuspensionWhy', { why })] : []
    return { words: [...reason, t('accounts.websitesGoBackOnline')] }
  },
  submit: 'accounts.unsuspend',
  flash: ({ username }) => t('accounts.usernameActiveAgain', { username }),
  call: ({ username }) => ({
    method: 'POST',
    path: '/accounts/:username/unsuspend',
    command: `panel account unsuspend ${word(username)}`,
  }),
  write: writes.unsuspend,
  toDesired: ({ params }) => params,
})

export const terminate = form({
  path: '/accounts/:username/terminate',
  roles: operators,
  title: ({ username }) => t('accounts.terminateUsername', { username }),
  parent: toAccount,
  fields: {},
  async load(asked) {
    const { trashHours } = asked.wiring.about
    const account = await find(asked)
    const locked = lockedNotice(asked.caller, account)
    if (locked !== undefined) return locked
    const sites = accounts.sitesOf(account).map(({ domain }) => domain)
    const databases = (await databasesOf(asked.pool, account.id)).map(({ database }) => database)
    const gone = [...named('website', sites), ...named('database', databases)]
    const kept = databases.length === 0 ? 'files' : t('accounts.filesDatabases')
    return {
      words: [
        t('accounts.accountDeletedGoneName', {
          isNone: gone.length === 0 ? 'yes' : 'no',
          gone: gone.join(' and '),
        }),
        trashHours === 0
          ? t('accounts.keptDeletedPermanently', { kept })
          : t('accounts.rootCanRestoreKept', { kept, trashHours }),
      ],
    }
  },
  submit: 'accounts.terminate',
  flash: ({ username }) => t('accounts.usernameWasTerminated', { username }),
  isDanger: true,
  confirm: ({ username }) => username,
  call: ({ username }) => ({
    method: 'DELETE',
    path: '/accounts/:username',
    command: `panel account terminate ${word(username)}`,
  }),
  write: writes.terminate,
  toDesired: ({ params }) => params,
  then: () => '/accounts',
})

// If there are more, their number is enough.
const maxNamed = 5

function named(kind: 'website' | 'database', names: readonly string[]): string[] {
  if (names.length === 0) return []
  const some = names.length > maxNamed ? [...names.slice(0, maxNamed), '…'] : names
  return [t('accounts.countSome', { kind, count: names.length, some: some.join(', ') })]
}
