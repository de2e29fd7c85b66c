import { removeMailRelay } from '../../../model/server/mail-relay.ts'
import { WriteCommand } from '../../write-command.ts'
import { relayWords } from './words.ts'

export class MailRelayRmCommand extends WriteCommand {
  static override summary = 'remove the relay for mail of scripts'
  static override details =
    'Then mail() returns false in every script, on a server without mailboxes.'
  static override examples = { 'Remove it': '$0' }

  act() {
    return this.write(removeMailRelay, {}, relayWords)
  }
}
