import { listOperators } from '../../model/sellers/operator-lists.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

const columns = ['NAME', 'ROLE', 'EMAIL', 'SECOND FACTOR', 'TOKENS', 'CREATED']

export class UserLsCommand extends DatabaseCommand {
  static override summary = 'list administrators and resellers'
  static override details = 'TOKENS counts the valid API tokens.'
  static override examples = {
    'List all': '$0',
    'For a script': '$0 --json',
  }

  async act(): Promise<void> {
    const { db } = await this.open()
    const users = await listOperators(db)
    const rows = users.map(user => [
      user.name,
      user.role,
      user.email,
      user.has_second_factor,
      user.tokens,
      user.created_at,
    ])
    this.show({ users }, table(columns, rows))
  }
}
