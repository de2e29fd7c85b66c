import { Option } from 'clipanion'
import * as writes from '../../model/accounts/account-writes.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountSetEmailCommand extends AccountCommand {
  static override summary = "change an account's e-mail address"
  static override examples = { 'Change the address': '$0 alice alice@example.org' }

  email = Option.String({ name: 'EMAIL' })

  act() {
    const desired = { username: this.username, ...this.parse(writes.EmailChange) }
    return this.write(writes.setEmail, desired, accountWords)
  }
}
