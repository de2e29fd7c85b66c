import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { type Delivery, getDelivery, tryOut } from '../../model/events/delivery-records.ts'
import { testEvent } from '../../model/events/event-examples.ts'
import { eventName } from '../../model/events/events.ts'
import { isHeld } from '../../model/server/restore-pause.ts'
import { getWebhook } from '../../model/events/webhooks.ts'
import { fields } from '../columns.ts'
import { argument, option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import type { ExitCode } from '../panel-command.ts'
import { WebhookId, wholeId } from './ids.ts'

const Words = WebhookId.extend({ event: eventName.optional() })

// A try takes at most 11 s, and a courier begins it at once.
const timeoutMs = 13_000
const lookMs = 100

const held =
  'This server was restored and sends nothing until `panel ctl dr-restore --release`, which is for \
when the old server is gone for good'

export class WebhookTestCommand extends DatabaseCommand {
  static override summary = 'send a webhook a test event, and tell what it answered'
  static override details = `
    The event is the first that the webhook is for, or the one that is named, with example data
    and \`"test": true\`. There is one try, and no hook script runs.
  `
  static override examples = {
    'Try a webhook out': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11',
    'Try it out with another event':
      '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --event account.suspended',
  }

  id = argument('ID', 'webhooks')
  event = option('--event', eventName.options, 'the event that is sent')

  async act(): Promise<ExitCode> {
    const words = this.parse(Words)
    const { db, config } = await this.open()
    const webhook = await getWebhook(db, await wholeId(db, 'webhooks', words.id))
    if (await isHeld(db)) throw new PanelError('unavailable', held)
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
    if (state === 'due') this.report('it was not sent yet; is the courier running?')
    return state === 'delivered' ? 0 : 1
  }
}

async function outcome(db: Db, id: string): Promise<Delivery> {
  const end = Date.now() + timeoutMs
  for (;;) {
    const delivery = await getDelivery(db, id)
    if (delivery.state !== 'due' || Date.now() > end) return delivery
    await sleep(lookMs)
  }
}
