import { Option } from 'clipanion'
import { readServerKey } from '../../model/server-key.ts'
import { replaceSecret, secretsKey } from '../../model/webhooks.ts'
import { DatabaseCommand } from '../database-command.ts'
import { WebhookId, wholeId } from './ids.ts'
import { secretGiven } from './secret-given.ts'

export class WebhookSecretCommand extends DatabaseCommand {
  static override summary = 'give a webhook another secret'
  static override details = `
    Every request from now on is signed with it, the retries of earlier deliveries included. It is
    32 random bytes, shown once, or with --secret-stdin 16 to 255 characters of your own.
  `
  static override examples = { 'Replace the secret': '$0 2b1f4f0e-7f43-4b5f-9a58-6f8e1c0d9a11' }

  id = Option.String({ name: 'ID' })
  secretStdin = Option.Boolean('--secret-stdin', false, {
    description: 'read the secret from standard input',
  })

  async act(): Promise<void> {
    const { id: start } = this.parse(WebhookId)
    const { db, config } = await this.open()
    const id = await wholeId(db, 'webhooks', start)
    const key = secretsKey(readServerKey(config.keyFile))
    const secret = await secretGiven(this.context, this.secretStdin)
    const made = await this.recorded(db, { action: 'webhook/replace-secret', about: id }, own =>
      replaceSecret(own, id, secret, key),
    )
    this.show(made)
    if (!this.secretStdin) this.tell('the secret is shown this once')
  }
}
