import { Option, UsageError } from 'clipanion'
import { readServerKey } from '../../model/server/server-key.ts'
import { endOverlap, overlapHours, replaceSecret, secretsKey } from '../../model/events/webhooks.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { wholeNumber } from '../words.ts'
import { WebhookId, wholeId } from './ids.ts'
import { secretGiven } from './secret-given.ts'

const Words = WebhookId.extend({ overlap: wholeNumber.pipe(overlapHours).optional() })

export class WebhookSecretCommand extends DatabaseCommand {
  static override summary = "replace a webhook's secret"
  static override details = `
    All further requests are signed with the new secret, including retries of earlier
    deliveries. It is 32 random bytes, shown once, or 16 to 255 characters of your own with
    --secret-stdin.

    With --overlap the previous secret stays valid for that many hours: requests are signed with
    it as before, and with the new one in the header X-Panel-Signature-Next. Use --end-overlap
    to end this early, once the receiver has the new secret or if the old one has leaked.
  `
  static override examples = {
    'Replace the secret': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11',
    'Keep the previous secret valid for a day':
      '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --overlap 24',
    'End the overlap now': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11 --end-overlap',
  }

  id = argument('ID', 'webhooks')
  secretStdin = Option.Boolean('--secret-stdin', false, {
    description: 'read the secret from standard input',
  })
  overlap = Option.String('--overlap', {
    description: 'hours for which the previous secret stays valid: 0 to 24; 0 by default',
  })
  endOverlap = Option.Boolean('--end-overlap', false, {
    description: 'make the previous secret invalid now, without changing the current one',
  })

  async act(): Promise<void> {
    const { id: start, overlap } = this.parse(Words)
    if (this.endOverlap && (overlap !== undefined || this.secretStdin)) {
      throw new UsageError('--end-overlap cannot be combined with --overlap or --secret-stdin')
    }
    const { db, config } = await this.open()
    const id = await wholeId(db, 'webhooks', start)
    if (this.endOverlap) {
      const change = { action: 'webhook/end-overlap', about: id } as const
      await this.recorded(db, change, own => endOverlap(own, id))
      this.show({ id, previous_until: null })
      return
    }
    const key = secretsKey(readServerKey(config.keyFile))
    const secret = await secretGiven(this.context, this.secretStdin)
    const made = await this.recorded(db, { action: 'webhook/replace-secret', about: id }, own =>
      replaceSecret(own, id, secret, key, overlap),
    )
    this.show(made)
    if (!this.secretStdin) this.report('the secret will not be shown again')
  }
}
