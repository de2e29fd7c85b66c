import * as accounts from '../../model/accounts/accounts.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { accountWords } from './account-command.ts'

export class AccountShowCommand extends DatabaseCommand {
  static override summary = 'show an account'
  static override examples = { 'Show an account': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const record = await accounts.get(db, await rootCaller(db), this.username)
    const account = accounts.toAccount(record)
    this.show(account, accountWords(account))
  }
}
