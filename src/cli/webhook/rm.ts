import { getWebhook, removeWebhook } from '../../model/events/webhooks.ts'
import { AskingCommand } from '../asking-command.ts'
import { argument } from '../completion/completers.ts'
import { WebhookId, wholeId } from './ids.ts'

export class WebhookRmCommand extends AskingCommand {
  static override summary = 'send a webhook nothing more'
  static override details = 'What is due and was not sent yet is cancelled. It asks first.'
  static override examples = { 'Remove a webhook': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11' }

  id = argument('ID', 'webhooks')

  async act(): Promise<void> {
    const { id: start } = this.parse(WebhookId)
    const { db } = await this.open()
    const id = await wholeId(db, 'webhooks', start)
    await getWebhook(db, id)
    await this.ask(`The webhook ${id} is removed, and what is due to it is not sent.`)
    const removed_at = await this.recorded(db, { action: 'webhook/remove', about: id }, own =>
      removeWebhook(own, id),
    )
    this.show({ id, removed_at })
  }
}
