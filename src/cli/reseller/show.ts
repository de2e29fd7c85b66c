import { getReseller } from '../../model/sellers/operator-lists.ts'
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
      accounts: ofPlan(used.accounts, plan?.max_accounts),
      'disk MB': ofPlan(used.disk_mb, plan?.disk_mb),
      websites: ofPlan(used.max_sites, plan?.max_sites),
      'memory MB, each': plan?.memory_mb ?? null,
      'CPU %, each': plan?.cpu_percent ?? null,
      created: created_at,
    })
    this.show(reseller, words)
    if (plan === null) this.report(`it needs a plan first: panel reseller set ${name}`)
  }
}
