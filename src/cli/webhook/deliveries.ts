import { Option } from 'clipanion'
import { z } from 'zod'
import {
  type Delivery,
  DeliveryFilter,
  listDeliveries,
} from '../../model/events/delivery-records.ts'
import { getWebhook } from '../../model/events/webhooks.ts'
import { table } from '../columns.ts'
import { option, optionalArgument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { wholeNumber } from '../words.ts'
import { WebhookId, wholeId } from './ids.ts'

const Words = z.object({
  id: WebhookId.shape.id.optional(),
  state: DeliveryFilter.shape.state,
  limit: wholeNumber.pipe(DeliveryFilter.shape.limit),
})

const columns = ['ID', 'STATE', 'EVENT', 'TRIES', 'CREATED', 'WEBHOOK', 'URL', 'LAST TRY']

export class WebhookDeliveriesCommand extends DatabaseCommand {
  static override summary = 'list the latest deliveries, the newest first'
  static override details = `
    A delivery is due until it is delivered, or has failed in its last try; it is cancelled where
    its webhook was removed before. \`panel jobs show\` and --json tell each try in full.
    Deliveries are kept for 30 days after their end. The address is the webhook's present one.
  `
  static override examples = {
    'List the latest': '$0',
    'List what one webhook did not get':
      '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --state failed --json',
  }

  id = optionalArgument('ID', 'webhooks')
  state = option(
    '--state',
    DeliveryFilter.shape.state.unwrap().options,
    'only those that are due, delivered, failed or cancelled',
  )
  limit = Option.String('--limit', '50', { description: 'how many at most: 1 to 1000' })

  async act(): Promise<void> {
    const { id, ...filter } = this.parse(Words)
    const { db } = await this.open()
    const webhookId = id && (await wholeId(db, 'webhooks', id))
    if (webhookId !== undefined) await getWebhook(db, webhookId)
    const deliveries = await listDeliveries(db, { webhookId, ...filter })
    const isBad = (row: number) => deliveries[row]?.state === 'failed'
    this.show({ deliveries }, table(columns, deliveries.map(toRow), { hasRemark: true, isBad }))
  }
}

const toRow = (delivery: Delivery) => [
  delivery.id,
  delivery.state,
  delivery.event,
  delivery.attempts.length,
  delivery.created_at,
  delivery.webhook_id,
  delivery.url,
  wordsOf(delivery),
]

function wordsOf({ attempts }: Delivery): string | null {
  const last = attempts.at(-1)
  if (last === undefined) return null
  const words = `${last.error ?? `Answered ${last.status}`} in ${last.duration_ms} ms`
  return last.error === null || !last.answer ? words : `${words}: ${last.answer}`
}
