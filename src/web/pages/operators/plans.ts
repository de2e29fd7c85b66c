import { recorded } from '../../../model/history/history.ts'
import { getReseller } from '../../../model/sellers/operator-lists.ts'
import { byPlanLimit, Plan } from '../../../model/sellers/plan-limits.ts'
import { setPlan, setSuspended } from '../../../model/sellers/resellers.ts'
import { word } from '../../api-call.ts'
import { number } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { pathOf, sections } from './section.ts'

// Forms for an administrator's decisions about a reseller.

const parent = ({ name }: { name: string }) => pathOf(sections.resellers, name)

/** The values in the form of a first plan. */
const usual: Plan = byPlanLimit(limit => limit.usual)

const fields = byPlanLimit(({ name, limits, ofPackage }) => {
  const { label, unit, hint } = ofPackage ?? {}
  const inTotal = ofPackage ? 'operators.allAccountsTogether' : 'operators.total'
  const perAccount = () =>
    t('operators.maximumPerAccountHint', { unit: unit === '%' ? 'yes' : 'no', hint: hint ?? '' })
  return number(label ? () => label : 'operators.accounts', Plan.shape[name], {
    ...(unit ? { unit: () => unit } : { isPlural: true }),
    hint: limits === 'total' ? inTotal : perAccount,
  })
})

export const plan = form({
  path: '/resellers/:name/plan',
  roles: administrators,
  title: ({ name }) => t('operators.planName', { name }),
  parent,
  fields,
  async load({ pool, params: { name } }) {
    const reseller = await getReseller(pool, name)
    return {
      values: reseller.plan ?? usual,
      words: [t('operators.ifPlanBelowWhat')],
    }
  },
  submit: 'operators.savePlan',
  call: ({ name }, values) => ({
    command: `panel reseller set ${word(name)}${Object.entries(values)
      .map(([limit, value]) => ` --${limit.replace('_', '-')} ${word(value)}`)
      .join('')}`,
  }),
  async act({ pool, caller, params, values, wiring }) {
    const change = { action: 'reseller/set-plan', about: params.name } as const
    const excess = await recorded(pool, caller, change, db => setPlan(db, params.name, values))
    const beyond = excess === null ? '' : t('operators.accountsAlreadyExceedExcess', { excess })
    return goToSaying(parent(params), t('operators.planWasSavedBeyond', { beyond }), wiring)
  },
})

export const suspendReseller = form({
  path: '/resellers/:name/suspend',
  roles: administrators,
  title: ({ name }) => t('operators.suspendResellerName', { name }),
  parent,
  fields: {},
  async load({ pool, params: { name } }) {
    const { used } = await getReseller(pool, name)
    return {
      words: [t('operators.resellerCantSignTheir', { accounts: used.accounts })],
    }
  },
  submit: 'operators.suspend',
  call: ({ name }) => ({ command: `panel reseller suspend ${word(name)}` }),
  isDanger: true,
  async act({ pool, caller, params, wiring }) {
    const change = { action: 'reseller/suspend', about: params.name } as const
    await recorded(pool, caller, change, db => setSuspended(db, params.name, true))
    return goToSaying(
      parent(params),
      t('operators.nameWasSuspended', { name: params.name }),
      wiring,
    )
  },
})

export const unsuspendReseller = form({
  path: '/resellers/:name/unsuspend',
  roles: administrators,
  title: ({ name }) => t('operators.unsuspendResellerName', { name }),
  parent,
  fields: {},
  async load({ pool, params: { name } }) {
    await getReseller(pool, name)
    return { words: [t('operators.resellerCanSignAgain')] }
  },
  submit: 'operators.unsuspend',
  call: ({ name }) => ({ command: `panel reseller unsuspend ${word(name)}` }),
  async act({ pool, caller, params, wiring }) {
    const change = { action: 'reseller/unsuspend', about: params.name } as const
    await recorded(pool, caller, change, db => setSuspended(db, params.name, false))
    return goToSaying(
      parent(params),
      t('operators.nameWasUnsuspended', { name: params.name }),
      wiring,
    )
  },
})
