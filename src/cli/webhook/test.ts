import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { type Delivery, getDelivery, tryOut } from '../../model/events/delivery-records.ts'
import { testEvent } from '../../model/events/event-examples.ts'
import { eventName } from '../../model/events/events.ts'
import { isRestorePaused } from '../../model/server/restore-pause.ts'
import { getWebhook } from '../../model/events/webhooks.ts'
import { fields } from '../columns.ts'
import { argument, option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import type { ExitCode } from '../panel-command.ts'
import { WebhookId, wholeId } from './ids.ts'

const Words = WebhookId.extend({ event: eventName.optional() })

// A try takes at most 11 s, and a courier begins it at once.
const timeoutMs = 13_000
const pollMs = 100

const paused =
  'This server was restored from a backup. Webhooks stay off until you run \
when the old server is gone for good'

export class WebhookTestCommand extends DatabaseCommand {
  static override summary = 'send a test event to a webhook and show the response'
  static override details = `
    Sends example data with \`"test": true\`, as the webhook's first event or the one named by
    --event. There is a single attempt, and no hook scripts run.
  `
  static override examples = {
    'Test a webhook': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11',
    'Test it with another event':
      '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --event account.suspended',
  }

  id = argument('ID', 'webhooks')
  event = option('--event', eventName.options, 'the event to send')

  async act(): Promise<ExitCode> {
    const words = this.parse(Words)
    const { db, config } = await this.open()
    const webhook = await getWebhook(db, await wholeId(db, 'webhooks', words.id))
    if (await isRestorePaused(db)) throw new PanelError('unavailable', paused)
    const name = words.event ?? webhook.events?.[0] ?? 'account.created'
    const event = testEvent(name, { server: config.serverName, time: new Date() })
    const delivery = await outcome(db, await tryOut(db, webhook.id, event))
    const { id, state, attempts } = delivery
    const [last] = attempts
    this.show(
      delivery,
      fields({
        id,
        event: name,
        state,
        status: last?.status ?? null,
        error: last?.error ?? null,
        answer: last?.answer ?? null,
      }),
    )
    if (state === 'due')
      this.report('the event was not sent yet; check that the courier is running')
    return state === 'delivered' ? 0 : 1
  }
}

async function outcome(db: Db, id: string): Promise<Delivery> {
  const end = Date.now() + timeoutMs
  for (;;) {
    const delivery = await getDelivery(db, id)
    if (delivery.state !== 'due' || Date.now() > end) return delivery
    await sleep(pollMs)
  }
}
