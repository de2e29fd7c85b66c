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

const columns = ['ID', 'STATE', 'EVENT', 'ATTEMPTS', 'CREATED', 'WEBHOOK', 'URL', 'LAST ATTEMPT']

export class WebhookDeliveriesCommand extends DatabaseCommand {
  static override summary = 'list the latest deliveries, newest first'
  static override details = `
    A delivery is due until it is delivered or its last attempt has failed; it is cancelled if
    its webhook is removed first. \`panel jobs show\` and --json show each attempt in full.
    Deliveries are kept for 30 days after they end. The URL is the webhook's current one.
  `
  static override examples = {
    'List the latest': '$0',
    "List one webhook's failed deliveries":
      '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --state failed --json',
  }

  id = optionalArgument('ID', 'webhooks')
  state = option(
    '--state',
    DeliveryFilter.shape.state.unwrap().options,
    'only deliveries in this state: due, delivered, failed or cancelled',
  )
  limit = Option.String('--limit', '50', {
    description: 'the maximum number of results: 1 to 1000',
  })

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
