import * as writes from '../../model/accounts/account-writes.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountTerminateCommand extends AccountCommand {
  static override summary = 'delete an account permanently'
  static override details = `
    The account's home is kept for PANEL_TRASH_HOURS, readable by root only.
  `
  static override examples = { 'Terminate an account without confirmation': '$0 alice --yes' }

  async act() {
    await this.ask(`Delete ${this.username}, its websites and its files permanently?`)
    return this.write(writes.terminate, { username: this.username }, accountWords)
  }
}
