import { listSharedParents } from '../../model/sites/shared-parents.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

export class SharedParentLsCommand extends DatabaseCommand {
  static override summary = 'list the domains below which every account may add websites'
  static override examples = { 'List them': '$0' }

  async act(): Promise<void> {
    const { db } = await this.open()
    const shared_parents = await listSharedParents(db)
    const rows = shared_parents.map(({ domain, created_at }) => [domain, created_at])
    this.show({ shared_parents }, table(['DOMAIN', 'CREATED'], rows))
  }
}
