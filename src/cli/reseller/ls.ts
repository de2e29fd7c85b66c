import { listResellers } from '../../model/sellers/operator-lists.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { ofPlan } from './of-plan.ts'

const columns = ['NAME', 'STATE', 'ACCOUNTS', 'DISK MB', 'SITES', 'EMAIL', 'CREATED']

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
      ofPlan(used.accounts, plan?.max_accounts),
      ofPlan(used.disk_mb, plan?.disk_mb),
      ofPlan(used.max_sites, plan?.max_sites),
      email,
      created_at,
    ])
    this.show({ resellers }, table(columns, rows))
  }
}
