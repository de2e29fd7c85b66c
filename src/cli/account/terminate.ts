import * as writes from '../../model/accounts/account-writes.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountTerminateCommand extends AccountCommand {
  static override summary = 'remove an account for good'
  static override details = 'Its home is kept for PANEL_TRASH_HOURS, where only root can get at it.'
  static override examples = { 'Terminate an account, without a question': '$0 alice --yes' }

  async act() {
    await this.ask(`Remove ${this.username}, its websites and its files for good?`)
    return this.write(writes.terminate, { username: this.username }, accountWords)
  }
}
