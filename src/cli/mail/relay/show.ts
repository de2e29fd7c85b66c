import { readMailRelay, shownRelay } from '../../../model/server/mail-relay.ts'
import { DatabaseCommand } from '../../database-command.ts'
import { relayWords } from './words.ts'

export class MailRelayShowCommand extends DatabaseCommand {
  static override summary = 'show the relay for mail of scripts'
  static override details = 'The password is never shown.'
  static override examples = { 'Show it': '$0' }

  async act(): Promise<void> {
    const { db } = await this.open()
    const answer = { mail_relay: shownRelay(await readMailRelay(db)) }
    this.show(answer, relayWords(answer))
  }
}
