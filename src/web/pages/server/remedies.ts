import { siteDomain, username } from '../../../model/grammar/grammar.ts'
import {
  EmptyTrash,
  findKept,
  remedyWrites as writes,
  startable,
  StartService,
} from '../../../model/server/remedies.ts'
import { word } from '../../api-call.ts'
import { hidden, select, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators } from '../../page.ts'
import { remedyPath } from '../../remedies.ts'
import { count } from '../../words.ts'

// The forms of the remedies: the page of the server has their buttons, and shows how they end.

const shared = {
  roles: administrators,
  parent: () => '/server',
  then: () => '/server#concerns',
  isFollowedThere: true,
} as const

export const startService = form({
  ...shared,
  path: remedyPath('start-service'),
  title: () => 'Start a service',
  fields: { service: select('Service', StartService.shape.service) },
  load: async ({ query }) => ({
    values: { service: query.get('service') ?? startable[0] },
    options: { service: startable },
    words: ['A service that is running stays as it is.'],
  }),
  submit: 'Start',
  call: (_, { service }) => ({ command: `systemctl start ${word(service)}` }),
  write: writes['start-service'],
  toDesired: ({ values }) => values,
})

export const rebuildAccount = form({
  ...shared,
  path: remedyPath('rebuild-account'),
  title: () => 'Rebuild an account',
  fields: { username: text('Account', username) },
  load: async ({ query }) => ({
    values: { username: query.get('username') },
    words: ['Applies users, folders, limits, PHP and websites of the account to the server again.'],
  }),
  submit: 'Rebuild',
  call: (_, values) => ({ command: `panel ctl rebuild ${word(values['username'])}` }),
  write: writes['rebuild-account'],
  toDesired: ({ values }) => values,
})

export const recheckSite = form({
  ...shared,
  path: remedyPath('recheck-site'),
  title: () => 'Renew a certificate',
  fields: { username: text('Account', username), domain: text('Domain', siteDomain) },
  load: async ({ query }) => ({
    values: { username: query.get('username'), domain: query.get('domain') },
    words: ['Checks where the domain points now, and requests a certificate if it points here.'],
  }),
  submit: 'Renew',
  call: (_, { username: name, domain }) => ({
    command: `panel site look ${word(name)} ${word(domain)}`,
  }),
  write: writes['recheck-site'],
  toDesired: ({ values }) => values,
})

export const rebuildServer = form({
  ...shared,
  path: remedyPath('rebuild-server'),
  title: () => 'Rebuild what all websites share',
  fields: {},
  load: async () => ({
    words: [
      'Writes the files again that all websites and SFTP users share, and removes websites that ' +
        'no account has. Websites are served meanwhile.',
    ],
  }),
  submit: 'Rebuild',
  write: writes['rebuild-server'],
  toDesired: () => ({}),
})

export const repair = form({
  ...shared,
  path: remedyPath('repair'),
  title: () => 'Repair the panel’s files',
  fields: {},
  load: async () => ({
    words: [
      'Closes files of the panel that others can read, creates missing folders and removes ' +
        'leftovers of interrupted writes. No service restarts, and no account changes.',
    ],
  }),
  submit: 'Repair',
  call: () => ({ command: 'panel ctl doctor --fix' }),
  write: writes.repair,
  toDesired: () => ({}),
})

// More names would not help the decision.
const maxNames = 20

export const emptyTrash = form({
  ...shared,
  path: remedyPath('empty-trash'),
  title: () => 'Delete kept files of terminated accounts',
  fields: { until: hidden('Time', EmptyTrash.shape.until) },
  async load({ pool, wiring }) {
    const { trashHours } = wiring.about
    const { at, names } = await findKept(pool)
    if (names.length === 0)
      return { isIdle: true, words: ['No files of terminated accounts are kept.'] }
    const others = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
    return {
      values: { until: at.toISOString() },
      words: [
        `The files of ${count(names.length, 'terminated account')} are kept for ${trashHours} ` +
          'hours after their end. This deletes them now, and they can only be restored ' +
          `from a backup: ${names.slice(0, maxNames).join(', ')}${others}.`,
      ],
    }
  },
  submit: 'Delete these files',
  isDanger: true,
  write: writes['empty-trash'],
  toDesired: ({ values }) => values,
})
