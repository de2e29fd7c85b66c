import { listWebhooks } from '../../model/events/webhooks.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

const columns = ['ID', 'TROUBLE', 'URL', 'EVENTS', 'CREATED']

export class WebhookLsCommand extends DatabaseCommand {
  static override summary = 'list webhooks'
  static override details = `
    A webhook is failing if its last 100 deliveries, and all of at least the last three days,
    have failed; silent if only the last 100 have; unreached if every delivery so far has.
    Events are still sent to it.
  `
  static override examples = { 'List all': '$0' }

  async act(): Promise<void> {
    const { db } = await this.open()
    const webhooks = await listWebhooks(db)
    const rows = webhooks.map(({ id, url, events, trouble, created_at }) => [
      id,
      trouble ?? 'none',
      url,
      events ?? 'all',
      created_at,
    ])
    this.show(
      { webhooks },
      table(columns, rows, { minColumns: 3, isBad: row => webhooks[row]?.trouble != null }),
    )
  }
}
