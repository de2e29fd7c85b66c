import { recorded } from '../../../model/history/history.ts'
import { getReseller } from '../../../model/sellers/operator-lists.ts'
import { byPlanLimit, Plan } from '../../../model/sellers/plan-limits.ts'
import { setPlan, setSuspended } from '../../../model/sellers/resellers.ts'
import { word } from '../../api-call.ts'
import { number } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying } from '../../page.ts'
import { count } from '../../words.ts'
import { pathOf, sections } from './section.ts'

// Forms for an administrator's decisions about a reseller.

const parent = ({ name }: { name: string }) => pathOf(sections.resellers, name)

/** The values in the form of a first plan. */
const usual: Plan = byPlanLimit(limit => limit.usual)

const fields = byPlanLimit(({ name, limits, ofPackage }) => {
  const { label = 'Accounts', unit, hint } = ofPackage ?? {}
  const inTotal = ofPackage ? 'Of all accounts together.' : 'In total.'
  const perAccount = `The maximum per account${unit === '%' ? `; ${hint}` : '.'}`
  return number(label, Plan.shape[name], {
    ...(unit ? { unit } : { isPlural: true }),
    hint: limits === 'total' ? inTotal : perAccount,
  })
})

export const plan = form({
  path: '/resellers/:name/plan',
  roles: administrators,
  title: ({ name }) => `Plan of ${name}`,
  parent,
  fields,
  async load({ pool, params: { name } }) {
    const reseller = await getReseller(pool, name)
    return {
      values: reseller.plan ?? usual,
      words: [
        'If the plan is below what the accounts have, nothing is taken away, but creating ' +
          'accounts and changing packages is refused.',
      ],
    }
  },
  submit: 'Save plan',
  call: ({ name }, values) => ({
    command: `panel reseller set ${word(name)}${Object.entries(values)
      .map(([limit, value]) => ` --${limit.replace('_', '-')} ${word(value)}`)
      .join('')}`,
  }),
  async act({ pool, caller, params, values, wiring }) {
    const change = { action: 'reseller/set-plan', about: params.name } as const
    const excess = await recorded(pool, caller, change, db => setPlan(db, params.name, values))
    const beyond = excess === null ? '' : ` The accounts already exceed it: ${excess}.`
    return goToSaying(parent(params), `The plan was saved.${beyond}`, wiring)
  },
})

export const suspendReseller = form({
  path: '/resellers/:name/suspend',
  roles: administrators,
  title: ({ name }) => `Suspend the reseller ${name}`,
  parent,
  fields: {},
  async load({ pool, params: { name } }) {
    const { used } = await getReseller(pool, name)
    return {
      words: [
        'The reseller can’t sign in, and their API tokens are refused, until you unsuspend them. ' +
          `Their ${count(used.accounts, 'account')} and all websites keep working.`,
      ],
    }
  },
  submit: 'Suspend',
  call: ({ name }) => ({ command: `panel reseller suspend ${word(name)}` }),
  isDanger: true,
  async act({ pool, caller, params, wiring }) {
    const change = { action: 'reseller/suspend', about: params.name } as const
    await recorded(pool, caller, change, db => setSuspended(db, params.name, true))
    return goToSaying(parent(params), `${params.name} was suspended.`, wiring)
  },
})

export const unsuspendReseller = form({
  path: '/resellers/:name/unsuspend',
  roles: administrators,
  title: ({ name }) => `Unsuspend the reseller ${name}`,
  parent,
  fields: {},
  async load({ pool, params: { name } }) {
    await getReseller(pool, name)
    return { words: ['The reseller can sign in again, and their API tokens work again.'] }
  },
  submit: 'Unsuspend',
  call: ({ name }) => ({ command: `panel reseller unsuspend ${word(name)}` }),
  async act({ pool, caller, params, wiring }) {
    const change = { action: 'reseller/unsuspend', about: params.name } as const
    await recorded(pool, caller, change, db => setSuspended(db, params.name, false))
    return goToSaying(parent(params), `${params.name} was unsuspended.`, wiring)
  },
})
