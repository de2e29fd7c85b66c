import { z } from 'zod'
import { demandSecondFactor, demandsSecondFactor } from '../../../model/signing-in/demands.ts'
import { recorded } from '../../../model/history/history.ts'
import * as parents from '../../../model/sites/shared-parents.ts'
import { changeRanges, listRanges, NewRanges } from '../../../model/signing-in/sign-in-ranges.ts'
import { flags, word } from '../../api-call.ts'
import { checkbox, listOf, textarea } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { mailRelay } from './mail-relay.ts'
import { supportContact } from './support-contact.ts'
import { tabs } from './tabs.ts'

// The settings that can be changed while the panel runs.

const base = '/server/settings'

/** /server/settings/sign-in-addresses */
export const signInAddresses = form({
  path: `${base}/sign-in-addresses`,
  roles: administrators,
  title: () => t('server.addressesAdministratorsMaySign'),
  parent: () => base,
  fields: {
    ranges: textarea('server.rangesLabel', listOf(NewRanges), {
      example: '192.0.2.0/24',
      hint: 'server.rangesHint',
    }),
  },
  async load({ pool, caller }) {
    return {
      values: { ranges: (await listRanges(pool)).join('\n') },
      words: [
        t('server.resellersCustomersCanSign'),
        t('server.youAddress', { address: caller.address ?? t('server.unknownAddress') }),
      ],
    }
  },
  submit: 'server.saveAddresses',
  call: (_, { ranges }) => ({ command: `panel ctl allow-ip --clear${flags('--add', ranges)}` }),
  async act({ pool, caller, values, wiring }) {
    const allowed = await recorded(
      pool,
      caller,
      (made: string[]) => ({ action: 'settings/allow-addresses', about: made.join(', ') }),
      db => changeRanges(db, { isCleared: true, added: values.ranges }, caller),
    )
    const done =
      allowed.length === 0
        ? t('server.administratorsCanSignFrom')
        : t('server.administratorsCanSignIn')
    return goToSaying(base, done, wiring)
  },
})

/** /server/settings/second-factor */
export const secondFactorDemand = form({
  path: `${base}/second-factor`,
  roles: administrators,
  title: () => t('server.twoFactorAuthentication'),
  parent: () => base,
  fields: {
    demanded: checkbox('server.demandedLabel', z.boolean()),
  },
  async load({ pool }) {
    return {
      values: { demanded: await demandsSecondFactor(pool) },
      words: [t('server.whenSwitchedThoseWithout')],
    }
  },
  submit: 'server.save',
  call: (_, { demanded }) => ({ command: `panel ctl demand-2fa ${demanded ? '--on' : '--off'}` }),
  async act({ pool, session, caller, values: { demanded }, wiring }) {
    const change = {
      action: 'settings/demand-second-factor',
      about: demanded ? 'yes' : 'no',
    } as const
    await recorded(pool, caller, change, db => demandSecondFactor(db, session.person, demanded))
    const done = demanded
      ? t('server.twoFactorAuthenticationNow')
      : t('server.twoFactorAuthenticationIs')
    return goToSaying(base, done, wiring)
  },
})

const example = 'free.example.net'

/** /server/settings/shared-parents */
export const sharedParents = form({
  path: `${base}/shared-parents`,
  roles: administrators,
  title: () => t('server.sharedParents'),
  parent: () => base,
  fields: {
    domains: textarea('server.domainsLabel', listOf(parents.SharedParents), {
      example,
      hint: 'server.domainsHint',
    }),
  },
  async load({ pool }) {
    const listed = await parents.listSharedParents(pool)
    return {
      values: { domains: listed.map(({ domain }) => domain).join('\n') },
      words: [t('server.normallyNoAccountCan')],
    }
  },
  submit: 'server.saveDomains',
  call: (_, { domains }) => ({
    command: `panel shared-parent add ${word(String(domains || example).split('\n', 1)[0])}`,
  }),
  async act({ pool, caller, values, wiring }) {
    const domains = await recorded(
      pool,
      caller,
      (made: string[]) => ({ action: 'settings/share-parents', about: made.join(', ') }),
      db => parents.changeSharedParents(db, { isCleared: true, added: values.domains }),
    )
    const done =
      domains.length === 0 ? t('server.thereNoSharedParents') : t('server.everyAccountCanNow')
    return goToSaying(base, done, wiring)
  },
})

/** /server/settings */
export const settings = page({
  path: base,
  roles: administrators,
  navigation: { label: 'server.settings', within: '/server' },
  async load(asked) {
    const request = { ...asked, query: new URLSearchParams() }
    const [addresses, demand, shared, relay, contact] = await Promise.all([
      signInAddresses.shown(request, {}),
      secondFactorDemand.shown(request, {}),
      sharedParents.shown(request, {}),
      mailRelay.shown(request, {}),
      supportContact.shown(request, {}),
    ])
    return { tabs: tabs(), addresses, demand, shared, relay, contact }
  },
  template: 'pages/server/settings',
})
