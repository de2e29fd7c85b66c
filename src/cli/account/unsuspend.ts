import { Command } from 'clipanion'
import * as writes from '../../model/account-writes.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountUnsuspendCommand extends AccountCommand {
  static override paths = [['account', 'unsuspend']]
  static override usage = Command.Usage({
    category: 'Hosting',
    description: 'have a suspended account work again',
    examples: [['Unsuspend an account', '$0 account unsuspend alice']],
  })

  act() {
    return this.write(writes.unsuspend, { username: this.username }, accountWords)
  }
}
