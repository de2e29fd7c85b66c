import { Command, Option } from 'clipanion'
import { z } from 'zod'
import { type Delivery, DeliveryFilter, listDeliveries } from '../../model/delivery-records.ts'
import { getWebhook } from '../../model/webhooks.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { parseWords, wholeNumber } from '../words.ts'
import { WebhookId } from './ids.ts'

const Words = z.object({
  ID: WebhookId.shape.ID.optional(),
  '--state': DeliveryFilter.shape.state,
  '--limit': wholeNumber.pipe(DeliveryFilter.shape.limit),
})

const columns = ['ID', 'WEBHOOK', 'EVENT', 'STATE', 'TRIES', 'LAST TRY', 'CREATED']

export class WebhookDeliveriesCommand extends DatabaseCommand {
  static override paths = [['webhook', 'deliveries']]
  static override usage = Command.Usage({
    category: 'Webhooks',
    description: 'list the latest deliveries, the newest first',
    details: `
      A delivery is due until it is delivered, or has failed in its last try; it is cancelled where
      its webhook was removed before. With --json each try is told in full. Deliveries are kept for
      30 days after their end.
    `,
    examples: [
      ['List the latest', '$0 webhook deliveries'],
      [
        'List what one webhook did not get',
        '$0 webhook deliveries 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --state failed --json',
      ],
    ],
  })

  id = Option.String({ name: 'ID', required: false })
  state = Option.String('--state', {
    description: 'only those that are due, delivered, failed or cancelled',
  })
  limit = Option.String('--limit', '50', { description: 'how many at most: 1 to 1000' })

  async act(): Promise<void> {
    const words = parseWords(Words, {
      ID: this.id,
      '--state': this.state,
      '--limit': this.limit,
    })
    const { db } = await this.open()
    if (words.ID !== undefined) await getWebhook(db, words.ID)
    const deliveries = await listDeliveries(db, {
      webhookId: words.ID,
      state: words['--state'],
      limit: words['--limit'],
    })
    this.show({ deliveries }, table(columns, deliveries.map(toRow)))
  }
}

const toRow = (delivery: Delivery) => [
  delivery.id,
  delivery.webhook_id,
  delivery.event,
  delivery.state,
  delivery.tries.length,
  wordsOf(delivery),
  delivery.created_at,
]

function wordsOf({ tries }: Delivery): string | null {
  const last = tries.at(-1)
  if (last === undefined) return null
  return `${last.error ?? `Answered ${last.status}`} in ${last.duration_ms} ms`
}
