import { Option } from 'clipanion'
import { z } from 'zod'
import { eventName } from '../../model/events/events.ts'
import { readServerKey } from '../../model/server/server-key.ts'
import { addWebhook, NewWebhook, secretsKey } from '../../model/events/webhooks.ts'
import { completing } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { whyUnreachable } from '../../outside/reachability.ts'
import { secretGiven } from './secret-given.ts'

const Words = z.object({ url: NewWebhook.shape.url, event: NewWebhook.shape.events })

export class WebhookAddCommand extends DatabaseCommand {
  static override summary = 'send events to a URL'
  static override details = `
    Sends every event, or only those named by --event. Each request is signed with the webhook's
    secret: 32 random bytes, shown once, or 16 to 255 characters of your own with
    --secret-stdin.
  `
  static override examples = {
    'Send every event': '$0 https://billing.example.com/panel',
    'Send two kinds of event, with JSON output':
      '$0 https://hooks.example.com/ --event account.suspended --event account.unsuspended --json',
  }

  url = Option.String({ name: 'URL' })
  event = completing(
    eventName.options,
    Option.Array('--event', [], {
      description: 'send this event; can be repeated',
    }),
  )
  secretStdin = Option.Boolean('--secret-stdin', false, {
    description: 'read the secret from standard input',
  })

  async act(): Promise<void> {
    const { url, event: events } = this.parse(Words)
    const { db, config } = await this.open()
    const key = secretsKey(readServerKey(config.keyFile))
    const secret = await secretGiven(this.context, this.secretStdin)
    const made = await this.recorded(
      db,
      ({ id }: { id: string; secret: string }) => ({ action: 'webhook/add', about: id }),
      own => addWebhook(own, { url, events, secret }, key),
    )
    this.show(made)
    if (!this.secretStdin) this.report('the secret will not be shown again')
    const why = await whyUnreachable(url, config.webhookAllow)
    if (why !== undefined) this.report(why)
  }
}
