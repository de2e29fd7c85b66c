import { Option } from 'clipanion'
import * as writes from '../../model/accounts/account-writes.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountSuspendCommand extends AccountCommand {
  static override summary = 'suspend an account'
  static override examples = { 'Suspend an account': '$0 alice --reason overdue' }

  reason = Option.String('--reason', {
    description: 'the reason, shown with the account and in the event',
  })

  act() {
    const desired = { username: this.username, ...this.parse(writes.Suspension) }
    return this.write(writes.suspend, desired, accountWords)
  }
}
