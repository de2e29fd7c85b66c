import { z } from 'zod'
import { PanelError } from '../../../errors.ts'
import { demandsSecondFactor } from '../../../model/signing-in/demands.ts'
import { recorded } from '../../../model/history/history.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableSecondFactor,
  factorsKey,
  findEnrolment,
  replaceRecoveryCodes,
  type Which,
} from '../../../model/signing-in/second-factors.ts'
import { text } from '../../fields.ts'
import { form } from '../../form.ts'
import { draw, goToSaying, type PageRequest } from '../../page.ts'
import { qrCode } from '../../qr-code.ts'
import { current } from './password.ts'
import { provePassword, type Section } from './section.ts'

// Setting up a second factor, or replacing it, in two steps; other recovery codes;
// switching it off. What enables or changes it ends all other sessions, and voids an operator's API
// tokens.

type Asked = Pick<PageRequest, 'pool' | 'session' | 'wiring'>

const named = ({ session }: Asked) => ({ ...session.person, name: session.name })
const keyOf = ({ wiring }: Asked) => factorsKey(wiring.serverKey())

const shown = (request: PageRequest, { base, title }: Section, codes: string[]) =>
  draw(request, 200, 'pages/my-account/recovery-codes', { codes, base, parentTitle: title })

type Words = { path: string; title: string; submit: string; words: string[] }

export function secondFactorForms(section: Section) {
  const { base, roles } = section
  const parent = () => base
  const prove = async (given: PageRequest & { values: { current: string } }) =>
    provePassword(given, given.values.current)
  const loses = section.base === '/my-account' ? ', and your API tokens are revoked' : ''

  // Enrolling one takes two steps, for the first as for a replacement.
  const enrolment = (which: Which, { path, title, submit, words }: Words) => {
    const common = { roles, parent, title: () => title, isPersonal: true } as const
    const begin = form({
      ...common,
      path,
      fields: { current },
      load: async () => ({ words }),
      submit,
      check: prove,
      async act(given) {
        const { pool, wiring } = given
        const { serverName } = wiring.about
        await beginEnrolment(pool, named(given), serverName, keyOf(given), which)
        return `${path}/set-up`
      },
    })
    const confirm = form({
      ...common,
      path: `${path}/set-up`,
      fields: {
        code: text('Code', z.string('is needed').max(40), { autocomplete: 'one-time-code' }),
      },
      async load(asked) {
        const { pool, wiring } = asked
        const { serverName } = wiring.about
        const found = await findEnrolment(pool, named(asked), serverName, keyOf(asked), which)
        if (found === undefined) throw new PanelError('not_found', 'There is nothing to set up')
        return { secret: found.secret, qr: qrCode(found.uri) }
      },
      submit: 'Confirm',
      template: 'pages/my-account/set-up',
      async act(given) {
        const { pool, session, caller, values } = given
        const action = which === 'first' ? 'second-factor/enable' : 'second-factor/replace'
        const codes = await recorded(pool, caller, { action, about: session.name }, db =>
          confirmEnrolment(db, session.person, values.code, keyOf(given), session.id, which),
        )
        return shown(given, section, codes)
      },
    })
    return [begin, confirm]
  }

  const first = enrolment('first', {
    path: `${base}/second-factor`,
    title: 'Set up two-factor authentication',
    submit: 'Set up',
    words: [
      'Signing in then also needs a code from an app on your phone.',
      `Once it is set up, you are signed out everywhere else${loses}.`,
    ],
  })

  const next = enrolment('next', {
    path: `${base}/second-factor/replace`,
    title: 'Replace the authenticator app',
    submit: 'Replace',
    words: [
      'Set up another app or phone. Your current one works until you enter the ' +
        'first code from the new one, within 10 minutes.',
      `You then get new recovery codes and are signed out everywhere else${loses}.`,
    ],
  })

  const recoveryCodes = form({
    path: `${base}/second-factor/recovery-codes`,
    roles,
    parent,
    title: () => 'New recovery codes',
    isPersonal: true,
    fields: { current },
    load: async () => ({
      words: [`The old codes stop working, and you are signed out everywhere else${loses}.`],
    }),
    submit: 'Create new codes',
    check: prove,
    async act(given) {
      const { pool, session, caller } = given
      const change = { action: 'second-factor/replace-codes', about: session.name } as const
      const codes = await recorded(pool, caller, change, db =>
        replaceRecoveryCodes(db, session.person, session.id),
      )
      return shown(given, section, codes)
    },
  })

  const disable = form({
    path: `${base}/second-factor/off`,
    roles,
    parent,
    title: () => 'Switch off two-factor authentication',
    isPersonal: true,
    fields: { current },
    load: async () => ({
      words: [
        `Signing in then needs the password only. You are signed out everywhere else${loses}.`,
      ],
    }),
    submit: 'Switch off',
    isDanger: true,
    check: prove,
    async act({ pool, session, caller, wiring }) {
      if (session.person.kind === 'operator' && (await demandsSecondFactor(pool))) {
        throw new PanelError('invalid', 'This server requires two-factor authentication')
      }
      await recorded(
        pool,
        caller,
        (made: number | null) =>
          made === null ? undefined : { action: 'second-factor/disable', about: session.name },
        db => disableSecondFactor(db, session.person, session.id),
      )
      return goToSaying(base, 'Two-factor authentication is off.', wiring)
    },
  })

  return [...first, ...next, recoveryCodes, disable]
}
