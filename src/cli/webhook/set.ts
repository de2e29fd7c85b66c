import { Option, UsageError } from 'clipanion'
import { z } from 'zod'
import { eventName } from '../../model/events/events.ts'
import { changeWebhook, NewWebhook } from '../../model/events/webhooks.ts'
import { fields } from '../columns.ts'
import { argument, completing } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { WebhookId, wholeId } from './ids.ts'
import { whyUnreachable } from '../../outside/reachability.ts'

const Words = z.object({
  id: WebhookId.shape.id,
  url: NewWebhook.shape.url.optional(),
  event: NewWebhook.shape.events,
})

export class WebhookSetCommand extends DatabaseCommand {
  static override summary = 'change the URL or the events of a webhook'
  static override details = `
    Its ID and secret stay the same. Deliveries that are due go to the new URL; a change of
    events applies from the next event on.
  `
  static override examples = {
    'Send it elsewhere': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --url https://hooks.example.com/',
    'Send every event': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --all-events',
  }

  id = argument('ID', 'webhooks')
  url = Option.String('--url', { description: 'the new URL' })
  event = completing(
    eventName.options,
    Option.Array('--event', [], {
      description: 'send this event, replacing the current selection; can be repeated',
    }),
  )
  allEvents = Option.Boolean('--all-events', false, { description: 'send every event' })

  async act(): Promise<void> {
    const { id, url, event: events } = this.parse(Words)
    if (url === undefined && events.length === 0 && !this.allEvents) {
      throw new UsageError('Give --url, --event or --all-events')
    }
    if (events.length > 0 && this.allEvents) throw new UsageError('--all-events includes --event')
    const { db, config } = await this.open()
    const whole = await wholeId(db, 'webhooks', id)
    const changed = { url, ...(events.length > 0 || this.allEvents ? { events } : {}) }
    const result = await this.recorded(db, { action: 'webhook/set', about: whole }, own =>
      changeWebhook(own, whole, changed),
    )
    this.show(result, fields({ ...result, events: result.events ?? 'all' }))
    const why = url && (await whyUnreachable(url, config.webhookAllow))
    if (why) this.report(why)
  }
}
