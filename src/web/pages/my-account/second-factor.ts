import { z } from 'zod'
import { PanelError } from '../../../errors.ts'
import { demandsSecondFactor } from '../../../model/demands.ts'
import { recorded } from '../../../model/history.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableSecondFactor,
  factorsKey,
  findEnrolment,
  replaceRecoveryCodes,
} from '../../../model/second-factors.ts'
import { withQuery } from '../../addresses.ts'
import { text } from '../../fields.ts'
import { form, refuse } from '../../form.ts'
import { draw, type PageRequest } from '../../page.ts'
import { qrCode } from '../../qr-code.ts'
import { current } from './password.ts'
import { provePassword, requireSelf, type Place } from './place.ts'

// Setting up a second factor, in two steps; other recovery codes; switching it off. What enables or
// changes it ends all other sessions, and voids an owner's API tokens.

type Asked = Pick<PageRequest, 'pool' | 'session' | 'wiring'>

const named = ({ session }: Asked) => ({ ...session.person, name: session.name })
const keyOf = ({ wiring }: Asked) => factorsKey(wiring.serverKey())

const shown = (request: PageRequest, { base, title }: Place, codes: string[]) =>
  draw(request, 200, 'pages/my-account/recovery-codes', { codes, base, parentTitle: title })

export function secondFactorForms(place: Place) {
  const { base, roles } = place
  const parent = () => base
  const prove = async (given: PageRequest & { values: { current: string } }) =>
    provePassword(given, given.values.current)
  const loses = place.base === '/my-account' ? ', and your API tokens are void' : ''

  const begin = form({
    path: `${base}/second-factor`,
    roles,
    parent,
    title: () => 'Set up a second factor',
    fields: { current },
    load: async () => ({
      words: [
        'Signing in then takes a code of an app on your phone too.',
        `Once it is set up, all your other sessions end${loses}.`,
      ],
    }),
    submit: 'Set up',
    check: prove,
    async act(given) {
      const { pool, wiring } = given
      await beginEnrolment(pool, named(given), wiring.about.serverName, keyOf(given))
      return `${base}/second-factor/set-up`
    },
  })

  const confirm = form({
    path: `${base}/second-factor/set-up`,
    roles,
    parent,
    title: () => 'Set up a second factor',
    fields: {
      code: text('Code', z.string('is needed').max(40), { autocomplete: 'one-time-code' }),
    },
    async load(asked) {
      const { pool, session, wiring } = asked
      requireSelf(session)
      const found = await findEnrolment(
        ...([pool, named(asked), wiring.about.serverName, keyOf(asked)] as const),
      )
      if (found === undefined) throw new PanelError('not_found', 'There is nothing to set up')
      return { secret: found.secret, qr: qrCode(found.uri) }
    },
    submit: 'Confirm',
    template: 'pages/my-account/set-up',
    async act(given) {
      const { pool, session, caller, values } = given
      requireSelf(session)
      const change = { action: 'second-factor/enable', about: session.name } as const
      const codes = await recorded(pool, caller, change, db =>
        confirmEnrolment(db, session.person, values.code, keyOf(given), session.id),
      ).catch((error: unknown) => {
        if (error instanceof PanelError && error.code === 'invalid') refuse({ code: error.message })
        throw error
      })
      return shown(given, place, codes)
    },
  })

  const replace = form({
    path: `${base}/second-factor/recovery-codes`,
    roles,
    parent,
    title: () => 'New recovery codes',
    fields: { current },
    load: async () => ({
      words: [`The old ones are good for nothing any more, all your other sessions end${loses}.`],
    }),
    submit: 'Make new codes',
    check: prove,
    async act(given) {
      const { pool, session, caller } = given
      const change = { action: 'second-factor/replace-codes', about: session.name } as const
      const codes = await recorded(pool, caller, change, db =>
        replaceRecoveryCodes(db, session.person, session.id),
      )
      return shown(given, place, codes)
    },
  })

  const disable = form({
    path: `${base}/second-factor/off`,
    roles,
    parent,
    title: () => 'Switch the second factor off',
    fields: { current },
    load: async () => ({
      words: [`Signing in then takes the password alone. All your other sessions end${loses}.`],
    }),
    submit: 'Switch off',
    isDanger: true,
    check: prove,
    async act({ pool, session, caller }) {
      if (session.person.kind === 'owner' && (await demandsSecondFactor(pool))) {
        throw new PanelError('invalid', 'This server demands a second factor of you')
      }
      await recorded(
        pool,
        caller,
        (made: number | null) =>
          made === null ? undefined : { action: 'second-factor/disable', about: session.name },
        db => disableSecondFactor(db, session.person, session.id),
      )
      return withQuery(base, { done: 'second-factor-off' })
    },
  })

  return { begin, confirm, replace, disable }
}
