import { Option } from 'clipanion'
import { z } from 'zod'
import { relayFields, relayPassword, setMailRelay } from '../../../model/server/mail-relay.ts'
import { PanelError } from '../../../errors.ts'
import { readServerKey } from '../../../model/server/server-key.ts'
import type { ExitCode } from '../../panel-command.ts'
import { readSecret } from '../../secret-input.ts'
import { wholeNumber } from '../../words.ts'
import { WriteCommand } from '../../write-command.ts'
import { relayWords } from './words.ts'

const Words = z.object({
  host: relayFields.host,
  port: wholeNumber.pipe(relayFields.port),
  tls: relayFields.tls,
  user: relayFields.user.unwrap().optional(),
  from_domain: relayFields.from_domain,
})

export class MailRelaySetCommand extends WriteCommand {
  static override summary = 'set the relay for mail of scripts'
  static override details = `
    PHP's mail() sends through this server. Give a user to sign in with, unless it accepts mail from
    this machine. Without encryption only a relay on this machine is allowed. The sender of every
    message is the account's name at --from-domain, so that domain's SPF record has to allow the
    relay.
    The password is read from standard input. Without --password-stdin, the relay keeps the one
    that it has, if its server and user stay the same.
  `
  static override examples = {
    'Send by a provider':
      '$0 smtp.example.com --user panel --from-domain example.net --password-stdin',
    'Send by a mail server on this machine':
      '$0 localhost --port 25 --tls none --from-domain example.net',
  }

  host = Option.String({ name: 'HOST' })
  port = Option.String('--port', '587', { description: 'the port of the relay' })
  tls = Option.String('--tls', 'starttls', {
    description: 'starttls, tls (usual on port 465), or none',
  })
  user = Option.String('--user', { description: 'the name to sign in to the relay with' })
  from_domain = Option.String('--from-domain', {
    required: true,
    description: 'the domain of the senders of all messages',
  })
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })

  async act(): Promise<ExitCode> {
    const { user = null, ...given } = this.parse(Words)
    const { config } = await this.open()
    const password = this.passwordStdin ? await this.readPassword() : undefined
    const serverKey = () => readServerKey(config.keyFile)
    return this.write(setMailRelay, { ...given, user, password, serverKey }, relayWords)
  }

  private async readPassword(): Promise<string> {
    const parsed = relayPassword.safeParse(await readSecret(this.context.stdin, 'The password'))
    if (parsed.success) return parsed.data
    throw new PanelError('invalid', `The password ${parsed.error.issues[0]?.message}`)
  }
}
