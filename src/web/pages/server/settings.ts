import { z } from 'zod'
import { demandSecondFactor, demandsSecondFactor } from '../../../model/signing-in/demands.ts'
import { recorded } from '../../../model/history/history.ts'
import * as parents from '../../../model/sites/shared-parents.ts'
import { changeRanges, listRanges, NewRanges } from '../../../model/signing-in/sign-in-ranges.ts'
import { flags, word } from '../../api-call.ts'
import { checkbox, listOf, textarea } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying, page } from '../../page.ts'
import { mailRelay } from './mail-relay.ts'
import { supportContact } from './support-contact.ts'
import { tabs } from './tabs.ts'

// The settings that can be changed while the panel runs.

const base = '/server/settings'

/** /server/settings/sign-in-addresses */
export const signInAddresses = form({
  path: `${base}/sign-in-addresses`,
  roles: administrators,
  title: () => 'Addresses that administrators may sign in from',
  parent: () => base,
  fields: {
    ranges: textarea('Addresses', listOf(NewRanges), {
      example: '192.0.2.0/24',
      hint: 'Addresses or ranges, one per line; leave it empty to allow every address.',
    }),
  },
  async load({ pool, caller }) {
    return {
      values: { ranges: (await listRanges(pool)).join('\n') },
      words: [
        'Resellers and customers can sign in from anywhere. API tokens have lists of their own. ' +
          'If you are locked out, run panel ctl allow-ip --clear as root.',
        `You are at ${caller.address ?? 'an unknown address'}.`,
      ],
    }
  },
  submit: 'Save addresses',
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
        ? 'Administrators can sign in from any address.'
        : 'Administrators can sign in from these addresses only.'
    return goToSaying(base, done, wiring)
  },
})

/** /server/settings/second-factor */
export const secondFactorDemand = form({
  path: `${base}/second-factor`,
  roles: administrators,
  title: () => 'Two-factor authentication',
  parent: () => base,
  fields: {
    demanded: checkbox('Require it for administrators and resellers', z.boolean()),
  },
  async load({ pool }) {
    return {
      values: { demanded: await demandsSecondFactor(pool) },
      words: [
        'When it is switched on, those without it are signed out and set it up at their next ' +
          'sign-in. Their API tokens keep working.',
      ],
    }
  },
  submit: 'Save',
  call: (_, { demanded }) => ({ command: `panel ctl demand-2fa ${demanded ? '--on' : '--off'}` }),
  async act({ pool, session, caller, values: { demanded }, wiring }) {
    const change = {
      action: 'settings/demand-second-factor',
      about: demanded ? 'yes' : 'no',
    } as const
    await recorded(pool, caller, change, db => demandSecondFactor(db, session.person, demanded))
    const done = demanded
      ? 'Two-factor authentication is now required for administrators and resellers.'
      : 'Two-factor authentication is now optional.'
    return goToSaying(base, done, wiring)
  },
})

const example = 'free.example.net'

/** /server/settings/shared-parents */
export const sharedParents = form({
  path: `${base}/shared-parents`,
  roles: administrators,
  title: () => 'Shared parents',
  parent: () => base,
  fields: {
    domains: textarea('Domains', listOf(parents.SharedParents), {
      example,
      hint: 'Domains below which every account may add websites, one per line.',
    }),
  },
  async load({ pool }) {
    const listed = await parents.listSharedParents(pool)
    return {
      values: { domains: listed.map(({ domain }) => domain).join('\n') },
      words: [
        'Normally no account can add a website above or below one of another account. Below a ' +
          'shared parent, every account can have names of its own. The parent itself and the ' +
          'names above it can be added only by root, with panel site add. Existing websites stay.',
      ],
    }
  },
  submit: 'Save domains',
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
      domains.length === 0
        ? 'There are no shared parents now.'
        : 'Every account can now add websites below these domains.'
    return goToSaying(base, done, wiring)
  },
})

/** /server/settings */
export const settings = page({
  path: base,
  roles: administrators,
  navigation: { label: 'Settings', within: '/server' },
  async load(asked) {
    const request = { ...asked, query: new URLSearchParams() }
    const [addresses, demand, shared, relay, contact] = await Promise.all([
      signInAddresses.shown(request, {}),
      secondFactorDemand.shown(request, {}),
      sharedParents.shown(request, {}),
      mailRelay.shown(request, {}),
      supportContact.shown(request, {}),
    ])
    return { tabs, addresses, demand, shared, relay, contact }
  },
  template: 'pages/server/settings',
})
