import { redeliver } from '../../model/events/delivery-records.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { DeliveryId, wholeId } from './ids.ts'

export class WebhookRedeliverCommand extends DatabaseCommand {
  static override summary = 'send a past delivery again'
  static override details = 'Creates a new delivery, with its own ID and the same body.'
  static override examples = { 'Send it again': '$0 7c9e6679-7425-40de-944b-e07fc1f90ae7' }

  id = argument('ID', 'deliveries')

  async act(): Promise<void> {
    const { id: start } = this.parse(DeliveryId)
    const { db } = await this.open()
    const id = await wholeId(db, 'deliveries', start)
    const again = await this.recorded(db, { action: 'delivery/redeliver', about: id }, own =>
      redeliver(own, id),
    )
    this.show({ id: again, redelivery_of: id })
  }
}
