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
  static override summary = 'have events sent to an address'
  static override details = `
    Every event is sent, or those that are named. Each request is signed with the webhook's
    secret: 32 random bytes, shown once, or with --secret-stdin 16 to 255 characters of your own.
  `
  static override examples = {
    'Send every event': '$0 https://billing.example.com/panel',
    'Send two kinds of event, for a script':
      '$0 https://hooks.example.com/ --event account.suspended --event account.unsuspended --json',
  }

  url = Option.String({ name: 'URL' })
  event = completing(
    eventName.options,
    Option.Array('--event', [], {
      description: 'an event that is sent; more than one is possible',
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
    if (!this.secretStdin) this.report('the secret is shown this once')
    const why = await whyUnreachable(url, config.webhookAllow)
    if (why !== undefined) this.report(why)
  }
}
