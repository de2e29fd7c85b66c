import * as writes from '../../model/accounts/account-writes.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountUnsuspendCommand extends AccountCommand {
  static override summary = 'reactivate a suspended account'
  static override examples = { 'Unsuspend an account': '$0 alice' }

  act() {
    return this.write(writes.unsuspend, { username: this.username }, accountWords)
  }
}
