import { getWebhook, removeWebhook } from '../../model/events/webhooks.ts'
import { AskingCommand } from '../asking-command.ts'
import { argument } from '../completion/completers.ts'
import { WebhookId, wholeId } from './ids.ts'

export class WebhookRmCommand extends AskingCommand {
  static override summary = 'remove a webhook'
  static override details = `
    Deliveries that are still due are cancelled. The command asks for confirmation.
  `
  static override examples = { 'Remove a webhook': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11' }

  id = argument('ID', 'webhooks')

  async act(): Promise<void> {
    const { id: start } = this.parse(WebhookId)
    const { db } = await this.open()
    const id = await wholeId(db, 'webhooks', start)
    await getWebhook(db, id)
    await this.ask(`The webhook ${id} will be removed and its due deliveries cancelled.`)
    const removed_at = await this.recorded(db, { action: 'webhook/remove', about: id }, own =>
      removeWebhook(own, id),
    )
    this.show({ id, removed_at })
  }
}
