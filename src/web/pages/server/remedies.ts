import { z } from 'zod'
import { siteDomain, username } from '../../../model/grammar/grammar.ts'
import {
  EmptyTrash,
  findKept,
  remedyWrites as writes,
  startable,
  StartService,
} from '../../../model/server/remedies.ts'
import { passphrase } from '../../../model/server/server-backups.ts'
import { word } from '../../api-call.ts'
import { hidden, password, select, text } from '../../fields.ts'
import { form, refuse } from '../../form.ts'
import { administrators } from '../../page.ts'
import { remedyPath } from '../../remedies.ts'
import { t } from '../../texts/texts.ts'

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
  title: () => t('server.startService'),
  fields: { service: select('server.serviceLabel', StartService.shape.service) },
  load: async ({ query }) => ({
    values: { service: query.get('service') ?? startable[0] },
    options: { service: startable },
    words: [t('server.serviceRunningStays')],
  }),
  submit: 'server.start',
  call: (_, { service }) => ({ command: `systemctl start ${word(service)}` }),
  write: writes['start-service'],
  toDesired: ({ values }) => values,
})

export const rebuildAccount = form({
  ...shared,
  path: remedyPath('rebuild-account'),
  title: () => t('server.rebuildAccount'),
  fields: { username: text('server.usernameLabel', username) },
  load: async ({ query }) => ({
    values: { username: query.get('username') },
    words: [t('server.appliesUsersFoldersLimits')],
  }),
  submit: 'server.rebuild',
  call: (_, values) => ({ command: `panel ctl rebuild ${word(values['username'])}` }),
  write: writes['rebuild-account'],
  toDesired: ({ values }) => values,
})

export const recheckSite = form({
  ...shared,
  path: remedyPath('recheck-site'),
  title: () => t('server.renewCertificate'),
  fields: {
    username: text('server.usernameLabel', username),
    domain: text('server.domainLabel', siteDomain),
  },
  load: async ({ query }) => ({
    values: { username: query.get('username'), domain: query.get('domain') },
    words: [t('server.checksWhereDomainPoints')],
  }),
  submit: 'server.renew',
  call: (_, { username: name, domain }) => ({
    command: `panel site recheck ${word(name)} ${word(domain)}`,
  }),
  write: writes['recheck-site'],
  toDesired: ({ values }) => values,
})

export const rebuildServer = form({
  ...shared,
  path: remedyPath('rebuild-server'),
  title: () => t('server.rebuildWhatAllWebsites'),
  fields: {},
  load: async () => ({
    words: [t('server.writesFilesAgainAll')],
  }),
  submit: 'server.rebuild',
  write: writes['rebuild-server'],
  toDesired: () => ({}),
})

export const repair = form({
  ...shared,
  path: remedyPath('repair'),
  title: () => t('server.repairPanelsFiles'),
  fields: {},
  load: async () => ({
    words: [t('server.closesFilesPanelOthers')],
  }),
  submit: 'server.repair',
  call: () => ({ command: 'panel ctl doctor --fix' }),
  write: writes.repair,
  toDesired: () => ({}),
})

export const backUp = form({
  ...shared,
  path: remedyPath('back-up'),
  title: () => t('server.backUpServer'),
  fields: {
    passphrase: password('server.passphraseLabel', passphrase, { hint: 'server.passphraseHint' }),
    again: password('server.passphraseAgainLabel', z.string().optional()),
  },
  load: async () => ({
    words: [t('server.backupHoldsEverything')],
  }),
  submit: 'server.backUp',
  call: () => ({ command: 'panel backup create' }),
  check: async ({ values }) => {
    if (values.again !== values.passphrase) refuse({ again: t('server.passphrasesDiffer') })
  },
  write: writes['back-up'],
  toDesired: ({ values, wiring }) => ({
    passphrase: values.passphrase,
    serverKey: wiring.serverKey,
  }),
})

// More names would not help the decision.
const maxNames = 20

export const emptyTrash = form({
  ...shared,
  path: remedyPath('empty-trash'),
  title: () => t('server.deleteKeptFilesTerminated'),
  fields: { until: hidden('server.time', EmptyTrash.shape.until) },
  async load({ pool, wiring }) {
    const { trashHours } = wiring.about
    const { at, names } = await findKept(pool)
    if (names.length === 0) return { isIdle: true, words: [t('server.noFilesTerminatedAccounts')] }
    return {
      values: { until: at.toISOString() },
      words: [
        t('server.filesTerminatedAccountKept', {
          count: names.length,
          trashHours,
          names: names.slice(0, maxNames).join(', '),
          more: Math.max(0, names.length - maxNames),
        }),
      ],
    }
  },
  submit: 'server.deleteTheseFiles',
  isDanger: true,
  write: writes['empty-trash'],
  toDesired: ({ values }) => values,
})
