import * as writes from '../../model/accounts/account-writes.ts'
import { fields } from '../columns.ts'
import { AccountCommand } from './account-command.ts'

export class AccountLoginCommand extends AccountCommand {
  static override summary = 'create a link that signs in as an account'
  static override details = 'The link works once, within 60 seconds.'
  static override examples = { 'Make a link': '$0 alice' }

  act() {
    return this.write(writes.login, { username: this.username }, fields)
  }
}
