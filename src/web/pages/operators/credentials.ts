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
import { count } from '../../words.ts'
import { current } from '../my-account/password.ts'
import { provePassword } from '../my-account/section.ts'
import { findOperator, pathOf, sections, type Section } from './section.ts'

// Changes how an operator signs in. Each change takes the administrator's own password again: an
// open window alone gives no lasting access.

const named = (params: object) => (params as { name: string }).name

/** An administrator changes its own sign-in at My account. */
const findOther = async ({ pool, session, params }: FormAsked, section: Section) => {
  const found = await findOperator({ pool }, section, named(params))
  if (found.name !== session.name) return found
  throw new PanelError('forbidden', 'Change your own sign-in under My account')
}

const voided = (tokens: number): string =>
  tokens === 0 ? 'all sessions were ended' : `${tokensOf(tokens)} and all sessions were ended`

const tokensOf = (tokens: number) => count(tokens, 'API token')

function formsOf(section: Section) {
  const { base, role, singular } = section
  const parent = (params: object) => pathOf(section, named(params))

  const add = form({
    path: `${base}/new`,
    roles: administrators,
    title: () => `Create ${singular}`,
    parent: () => base,
    fields: {
      name: text('Name', NewOperator.shape.name, {
        example: 'shop',
        hint: 'The username for signing in.',
      }),
      email: email('E-mail address', NewOperator.shape.email, { example: 'shop@example.com' }),
      password: password('Password', NewOperator.shape.password, {
        hint: 'At least 8 characters.',
      }),
      current,
    },
    load: async () => ({
      words: [
        role === 'reseller'
          ? 'Resellers can create accounts once they have a plan, which is the next step.'
          : 'Administrators can do everything that you can.',
      ],
    }),
    submit: `Create ${singular}`,
    call: (_, { name, email }) => ({
      command: `panel user add ${word(name)} --role ${role} --email ${word(email)}`,
    }),
    check: given => provePassword(given, given.values.current),
    async act({ pool, caller, values, wiring }) {
      const { current: _, ...operator } = values
      const change = { action: 'operator/add', about: `${operator.name}, ${role}` } as const
      await recorded(pool, caller, change, db => addOperator(db, { ...operator, role }))
      const next = pathOf(section, operator.name, role === 'reseller' ? '/plan' : '')
      return goToSaying(next, `The ${singular} ${operator.name} is there.`, wiring)
    },
  })

  const setPassword = form({
    path: `${base}/:name/password`,
    roles: administrators,
    title: params => `New password for ${named(params)}`,
    parent,
    fields: {
      password: password('New password', grammar.password, { hint: 'At least 8 characters.' }),
      current,
    },
    async load(asked) {
      const { name, tokens } = await findOther(asked, section)
      const programs =
        tokens === 0 ? '' : ` ${tokensOf(tokens)} will be revoked: programs need new ones.`
      return {
        words: [`${name} is signed out everywhere.${programs} Two-factor authentication stays on.`],
      }
    },
    submit: 'Set password',
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
      return goToSaying(parent(params), `The password was set; ${voided(tokens)}.`, wiring)
    },
  })

  const factorOff = form({
    path: `${base}/:name/second-factor`,
    roles: administrators,
    title: params => `Switch off two-factor authentication of ${named(params)}`,
    parent,
    fields: { current },
    async load(asked) {
      const { name, tokens, has_second_factor } = await findOther(asked, section)
      if (!has_second_factor) return { words: [`${name} has no second factor.`] }
      return {
        words: [
          `${name} can then sign in with the password only, or must set up another app if this ` +
            'server requires it. The authenticator app and the recovery codes stop working.',
          `Their sessions end${tokens === 0 ? '' : ` and ${tokensOf(tokens)} are void`}.`,
        ],
      }
    },
    submit: 'Switch off',
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
          ? `${name} has no second factor; nothing was changed.`
          : `Two-factor authentication is off; ${voided(tokens)}.`
      return goToSaying(parent(params), done, wiring)
    },
  })

  return [add, setPassword, factorOff]
}

/** /resellers/new, /administrators/NAME/password and so on. */
export const credentials = Object.values(sections).flatMap(formsOf)
