import * as writes from '../../../model/accounts/account-writes.ts'
import * as accounts from '../../../model/accounts/accounts.ts'
import { ofAccount as databasesOf } from '../../../model/databases/databases.ts'
import * as grammar from '../../../model/grammar/grammar.ts'
import { word } from '../../api-call.ts'
import { text } from '../../fields.ts'
import { form, type FormAsked } from '../../form.ts'
import { operators } from '../../page.ts'
import { count } from '../../words.ts'
import { lockedNotice, isLockedFor, mayTakeOver, pathOf, whoSuspended } from './shown.ts'

// The forms to suspend, unsuspend and terminate: each says first what will happen.

const toAccount = ({ username }: { username: string }) => pathOf(username)

const find = ({ pool, caller, params }: FormAsked<'/:username'>) =>
  accounts.get(pool, caller, params.username)

export const suspend = form({
  path: '/accounts/:username/suspend',
  roles: operators,
  title: ({ username }) => `Suspend ${username}`,
  parent: toAccount,
  fields: {
    reason: text('Reason', grammar.sentence, {
      example: 'Invoice 4711 is overdue',
      hint: 'Shown with the account.',
    }),
  },
  async load(asked) {
    const found = await find(asked)
    if (mayTakeOver(asked.caller, found)) {
      const then =
        'If you suspend it, only an administrator can unsuspend it, and your reason is shown.'
      return { words: [whoSuspended(found), then] }
    }
    if (found.state === 'suspended') {
      return { words: [whoSuspended(found), 'It is already suspended.'], isIdle: true }
    }
    return {
      words: [
        'Its websites show a suspension page; the customer cannot sign in. Nothing is deleted, ' +
          'and you can unsuspend it at any time.',
      ],
    }
  },
  submit: 'Suspend',
  // From a window that is older than the suspension: the first one's reason stays.
  flash: ({ username }, { suspend_reason: kept }, { reason = null }) =>
    kept === reason
      ? `${username} was suspended.`
      : `${username} was already suspended: the first reason stays.`,
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
  title: ({ username }) => `Unsuspend ${username}`,
  parent: toAccount,
  fields: {},
  async load(asked) {
    const found = await find(asked)
    if (isLockedFor(asked.caller, found)) {
      return {
        words: [whoSuspended(found), 'Only an administrator can unsuspend it.'],
        isIdle: true,
      }
    }
    const why = found.suspension?.reason
    const reason = why ? [`Reason for the suspension: ${why}`] : []
    return { words: [...reason, 'Its websites go back online, and the customer can sign in.'] }
  },
  submit: 'Unsuspend',
  flash: ({ username }) => `${username} is active again.`,
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
  title: ({ username }) => `Terminate ${username}`,
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
    const kept = databases.length === 0 ? 'files' : 'files and databases'
    return {
      words: [
        `The account is deleted${gone.length === 0 ? '' : ` with ${gone.join(' and ')}`}. ` +
          'Its name becomes available at once.',
        trashHours === 0
          ? `Its ${kept} are deleted permanently.`
          : `Root can restore its ${kept} for ${count(trashHours, 'hour')}; then they are deleted.`,
      ],
    }
  },
  submit: 'Terminate',
  flash: ({ username }) => `${username} was terminated.`,
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

function named(singular: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const some = names.length > maxNamed ? [...names.slice(0, maxNamed), '…'] : names
  return [`${count(names.length, singular)} (${some.join(', ')})`]
}
