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
import { t, type PlainKey } from '../../texts/texts.ts'
import { current } from './password.ts'
import { provePassword, type Section } from './section.ts'

// Setting up a second factor, or replacing it, in two steps; other recovery codes;
// switching it off. What enables or changes it ends all other sessions, and voids an operator's API
// tokens.

type Asked = Pick<PageRequest, 'pool' | 'session' | 'wiring'>

const named = ({ session }: Asked) => ({ ...session.person, name: session.name })
const keyOf = ({ wiring }: Asked) => factorsKey(wiring.serverKey())

const shown = (request: PageRequest, { base, title }: Section, codes: string[]) =>
  draw(request, 200, 'pages/my-account/recovery-codes', { codes, base, parentTitle: t(title) })

type Words = { path: string; title: PlainKey; submit: PlainKey; words: () => string[] }

export function secondFactorForms(section: Section) {
  const { base, roles } = section
  const parent = () => base
  const prove = async (given: PageRequest & { values: { current: string } }) =>
    provePassword(given, given.values.current)
  // Customers have no API tokens.
  const losing = { hasTokens: section.base === '/my-account' ? 'yes' : 'no' }

  // Enrolling one takes two steps, for the first as for a replacement.
  const enrolment = (which: Which, { path, title, submit, words }: Words) => {
    const common = { roles, parent, title: () => t(title), isPersonal: true } as const
    const begin = form({
      ...common,
      path,
      fields: { current },
      load: async () => ({ words: words() }),
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
        code: text(
          'myAccount.codeLabel',
          z.string({ error: () => t('myAccount.needed') }).max(40),
          {
            autocomplete: 'one-time-code',
          },
        ),
      },
      async load(asked) {
        const { pool, wiring } = asked
        const { serverName } = wiring.about
        const found = await findEnrolment(pool, named(asked), serverName, keyOf(asked), which)
        if (found === undefined) throw new PanelError('not_found', t('myAccount.thereNothingSetUp'))
        return { secret: found.secret, qr: qrCode(found.uri) }
      },
      submit: 'myAccount.confirm',
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
    title: 'myAccount.setUpTwoFactor',
    submit: 'myAccount.setUp',
    words: () => [t('myAccount.signingThenAlsoNeeds'), t('myAccount.onceSetUpYou', losing)],
  })

  const next = enrolment('next', {
    path: `${base}/second-factor/replace`,
    title: 'myAccount.replaceAuthenticatorApp',
    submit: 'myAccount.replace',
    words: () => [t('myAccount.setUpAnotherApp'), t('myAccount.youThenGetNew', losing)],
  })

  const recoveryCodes = form({
    path: `${base}/second-factor/recovery-codes`,
    roles,
    parent,
    title: () => t('myAccount.newRecoveryCodes'),
    isPersonal: true,
    fields: { current },
    load: async () => ({
      words: [t('myAccount.oldCodesStopWorking', losing)],
    }),
    submit: 'myAccount.createNewCodes',
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
    title: () => t('myAccount.switchOffTwoFactor'),
    isPersonal: true,
    fields: { current },
    load: async () => ({
      words: [t('myAccount.signingThenNeedsPassword', losing)],
    }),
    submit: 'myAccount.switchOff',
    isDanger: true,
    check: prove,
    async act({ pool, session, caller, wiring }) {
      if (session.person.kind === 'operator' && (await demandsSecondFactor(pool))) {
        throw new PanelError('invalid', t('myAccount.serverRequiresTwoFactor'))
      }
      await recorded(
        pool,
        caller,
        (made: number | null) =>
          made === null ? undefined : { action: 'second-factor/disable', about: session.name },
        db => disableSecondFactor(db, session.person, session.id),
      )
      return goToSaying(base, t('myAccount.twoFactorAuthenticationOff'), wiring)
    },
  })

  return [...first, ...next, recoveryCodes, disable]
}
