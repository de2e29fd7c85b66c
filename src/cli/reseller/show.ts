import { getReseller } from '../../model/sellers/operator-lists.ts'
import { planLimits, usedOf } from '../../model/sellers/plan-limits.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { ofPlan } from './of-plan.ts'

export class ResellerShowCommand extends DatabaseCommand {
  static override summary = "show a reseller's plan and how much of it is used"
  static override examples = { 'Show a reseller': '$0 bob' }

  name = argument('NAME', 'resellers')

  async act(): Promise<void> {
    const { db } = await this.open()
    const reseller = await getReseller(db, this.name)
    const { name, email, suspended_at, plan, used, created_at } = reseller
    const words = fields({
      name,
      email,
      suspended: suspended_at,
      ...Object.fromEntries(
        planLimits.map(({ name: limit, term }) => {
          const inUse = usedOf(used, limit)
          const max = plan?.[limit]
          return [term, inUse === undefined ? (max ?? null) : ofPlan(inUse, max)]
        }),
      ),
      created: created_at,
    })
    this.show(reseller, words)
    if (plan === null) this.report(`it needs a plan first: panel reseller set ${name}`)
  }
}
