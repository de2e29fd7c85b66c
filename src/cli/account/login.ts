import { Command } from 'clipanion'
import * as writes from '../../model/account-writes.ts'
import { fields } from '../columns.ts'
import { AccountCommand } from './account-command.ts'

export class AccountLoginCommand extends AccountCommand {
  static override paths = [['account', 'login']]
  static override usage = Command.Usage({
    category: 'Hosting',
    description: 'make a link that signs in as an account',
    details: `
      It works once, and for 60 seconds.
    `,
    examples: [['Make a link', '$0 account login alice']],
  })

  act() {
    return this.write(writes.login, { username: this.username }, fields)
  }
}
