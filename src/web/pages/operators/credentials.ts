import { recorded } from '../../../model/history/history.ts'
import {
  changePassword,
  addOperator,
  getOperator,
  NewOperator,
} from '../../../model/sellers/operators.ts'
import { PanelError } from '../../../errors.ts'
import * as grammar from '../../../model/grammar/grammar.ts'
import { disableSecondFactor } from '../../../model/signing-in/second-factors.ts'
import { word } from '../../api-call.ts'
import { email, password, text } from '../../fields.ts'
import { form, type FormAsked } from '../../form.ts'
import { administrators, goToSaying } from '../../page.ts'
import { current } from '../my-account/password.ts'
import { provePassword } from '../my-account/section.ts'
import { t } from '../../texts/texts.ts'
import { findOperator, pathOf, sections, type Section } from './section.ts'

// Changes how an operator signs in. Each change takes the administrator's own password again: an
// open window alone gives no lasting access.

const named = (params: object) => (params as { name: string }).name

/** An administrator changes its own sign-in at My account. */
const findOther = async ({ pool, session, params }: FormAsked, section: Section) => {
  const found = await findOperator({ pool }, section, named(params))
  if (found.name !== session.name) return found
  throw new PanelError('forbidden', t('operators.changeYourOwnSign'))
}

const voided = (tokens: number): string =>
  tokens === 0
    ? t('operators.allSessionsWereEnded')
    : t('operators.tokensAllSessionsWere', { tokens: tokensOf(tokens) })

const tokensOf = (tokens: number) => t('operators.apiToken', { tokens })

function formsOf(section: Section) {
  const { base, role, singular } = section
  const parent = (params: object) => pathOf(section, named(params))

  const add = form({
    path: `${base}/new`,
    roles: administrators,
    title: () => t('operators.createSingular', { singular: t(singular) }),
    parent: () => base,
    fields: {
      name: text('operators.nameLabel', NewOperator.shape.name, {
        example: 'shop',
        hint: 'operators.nameHint',
      }),
      email: email('operators.emailLabel', NewOperator.shape.email, {
        example: 'shop@example.com',
      }),
      password: password('operators.passwordLabel', NewOperator.shape.password, {
        hint: 'operators.passwordHint',
      }),
      current,
    },
    load: async () => ({
      words: [
        role === 'reseller'
          ? t('operators.resellersCanCreateAccounts')
          : t('operators.administratorsCanDoEverything'),
      ],
    }),
    submit: () => t('operators.createSingular', { singular: t(singular) }),
    call: (_, { name, email }) => ({
      command: `panel user add ${word(name)} --role ${role} --email ${word(email)}`,
    }),
    check: given => provePassword(given, given.values.current),
    async act({ pool, caller, values, wiring }) {
      const { current: _, ...operator } = values
      const change = { action: 'operator/add', about: `${operator.name}, ${role}` } as const
      await recorded(pool, caller, change, db => addOperator(db, { ...operator, role }))
      const next = pathOf(section, operator.name, role === 'reseller' ? '/plan' : '')
      return goToSaying(
        next,
        t('operators.singularNameThere', { singular: t(singular), name: operator.name }),
        wiring,
      )
    },
  })

  const setPassword = form({
    path: `${base}/:name/password`,
    roles: administrators,
    title: params => t('operators.newPasswordNamed', { named: named(params) }),
    parent,
    fields: {
      password: password('operators.newPassword', grammar.password, {
        hint: 'operators.passwordHint',
      }),
      current,
    },
    async load(asked) {
      const { name, tokens } = await findOther(asked, section)
      const programs =
        tokens === 0 ? '' : t('operators.tokensRevoked', { tokens: tokensOf(tokens) })
      return {
        words: [t('operators.nameSignedOutEverywhere', { name, programs })],
      }
    },
    submit: 'operators.setPassword',
    call: params => ({ command: `panel ctl reset-password ${word(named(params))}` }),
    async check(given) {
      await findOther(given, section)
      await provePassword(given, given.values.current)
    },
    async act({ pool, caller, params, values, wiring }) {
      const name = named(params)
      const change = { action: 'operator/set-password', about: name } as const
      const tokens = await recorded(pool, caller, change, db =>
        changePassword(db, name, values.password),
      )
      return goToSaying(
        parent(params),
        t('operators.passwordWasSetVoided', { voided: voided(tokens) }),
        wiring,
      )
    },
  })

  const factorOff = form({
    path: `${base}/:name/second-factor`,
    roles: administrators,
    title: params => t('operators.switchOffTwoFactor', { named: named(params) }),
    parent,
    fields: { current },
    async load(asked) {
      const { name, tokens, has_second_factor } = await findOther(asked, section)
      if (!has_second_factor) return { words: [t('operators.twoFactorIsOff', { name })] }
      return {
        words: [
          t('operators.nameCanThenSign', { name }),
          t('operators.theirSessionsEndTokens', {
            isNone: tokens === 0 ? 'yes' : 'no',
            tokens: tokensOf(tokens),
          }),
        ],
      }
    },
    submit: 'operators.switchOff',
    call: params => ({ command: `panel ctl disable-2fa ${word(named(params))}` }),
    isDanger: true,
    async check(given) {
      await findOther(given, section)
      await provePassword(given, given.values.current)
    },
    async act({ pool, caller, params, wiring }) {
      const name = named(params)
      const person = { kind: 'operator', id: (await getOperator(pool, name)).id } as const
      const tokens = await recorded(
        pool,
        caller,
        (made: number | null) =>
          made === null ? undefined : { action: 'second-factor/disable', about: name },
        db => disableSecondFactor(db, person),
      )
      const done =
        tokens === null
          ? t('operators.twoFactorAlreadyOff', { name })
          : t('operators.twoFactorAuthenticationOff', { voided: voided(tokens) })
      return goToSaying(parent(params), done, wiring)
    },
  })

  return [add, setPassword, factorOff]
}

/** /resellers/new, /administrators/NAME/password and so on. */
export const credentials = Object.values(sections).flatMap(formsOf)
