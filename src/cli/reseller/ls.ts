import { listResellers } from '../../model/sellers/operator-lists.ts'
import { planLimits, usedOf } from '../../model/sellers/plan-limits.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { ofPlan } from './of-plan.ts'

const totals = planLimits.filter(({ limits }) => limits === 'total')
const headings = totals.map(({ ofPackage }) => ofPackage?.column?.cli ?? 'ACCOUNTS')
const columns = ['NAME', 'STATE', ...headings, 'EMAIL', 'CREATED']

export class ResellerLsCommand extends DatabaseCommand {
  static override summary = 'list resellers and how much of their plans they use'
  static override examples = {
    'List all': '$0',
    'For a script': '$0 --json',
  }

  async act(): Promise<void> {
    const { db } = await this.open()
    const resellers = await listResellers(db)
    const rows = resellers.map(({ name, suspended_at, plan, used, email, created_at }) => [
      name,
      suspended_at === null ? (plan === null ? 'no plan' : 'active') : 'suspended',
      ...totals.map(({ name: limit }) => ofPlan(usedOf(used, limit) ?? 0, plan?.[limit])),
      email,
      created_at,
    ])
    this.show({ resellers }, table(columns, rows))
  }
}
