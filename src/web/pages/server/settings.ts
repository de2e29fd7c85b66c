import { z } from 'zod'
import { demandSecondFactor, demandsSecondFactor } from '../../../model/signing-in/demands.ts'
import { recorded } from '../../../model/history/history.ts'
import * as parents from '../../../model/sites/shared-parents.ts'
import { changeRanges, listRanges, NewRanges } from '../../../model/signing-in/sign-in-ranges.ts'
import { flags, word } from '../../api-call.ts'
import { checkbox, listOf, textarea } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying, page } from '../../page.ts'
import { tabs } from './tabs.ts'

// What can be changed while the panel runs.

const base = '/server/settings'

/** /server/settings/sign-in-addresses */
export const signInAddresses = form({
  path: `${base}/sign-in-addresses`,
  roles: administrators,
  title: () => 'Where administrators may sign in from',
  parent: () => base,
  fields: {
    ranges: textarea('Addresses', listOf(NewRanges), {
      example: '192.0.2.0/24',
      hint: 'Addresses or ranges, one a line; without any, administrators sign in from anywhere.',
    }),
  },
  async load({ pool, caller }) {
    return {
      values: { ranges: (await listRanges(pool)).join('\n') },
      words: [
        'Resellers and customers sign in from anywhere. API tokens have lists of their own. ' +
          'Who is locked out is let in by root: panel ctl allow-ip --clear',
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
        ? 'Administrators may sign in from anywhere.'
        : 'Administrators may sign in from these addresses and nowhere else.'
    return goToSaying(base, done, wiring)
  },
})

/** /server/settings/second-factor */
export const secondFactorDemand = form({
  path: `${base}/second-factor`,
  roles: administrators,
  title: () => 'Second factor',
  parent: () => base,
  fields: {
    demanded: checkbox('Administrators and resellers need a second factor', z.boolean()),
  },
  async load({ pool }) {
    return {
      values: { demanded: await demandsSecondFactor(pool) },
      words: [
        'Who has none is signed out when this is switched on, and sets one up with the next ' +
          'sign-in. Their API tokens work on.',
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
      ? 'Administrators and resellers need a second factor from now on.'
      : 'A second factor is everybody’s own choice.'
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
      hint: 'Domains below which every account may add a website, one a line.',
    }),
  },
  async load({ pool }) {
    const listed = await parents.listSharedParents(pool)
    return {
      values: { domains: listed.map(({ domain }) => domain).join('\n') },
      words: [
        'Elsewhere, no account adds a website above or below one of another account. Below a ' +
          'shared parent, each account may have a name of its own. The parent itself and the ' +
          'names above it can be added only by root: panel site add. Websites that exist stay.',
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
        ? 'There is no shared parent.'
        : 'Every account may add websites below these domains.'
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
    const [addresses, demand, shared] = await Promise.all([
      signInAddresses.shown(request, {}),
      secondFactorDemand.shown(request, {}),
      sharedParents.shown(request, {}),
    ])
    return { tabs, addresses, demand, shared }
  },
  template: 'pages/server/settings',
})
