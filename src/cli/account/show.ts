import { Command, Option } from 'clipanion'
import * as accounts from '../../model/accounts.ts'
import { readSellers } from '../../model/owner-lists.ts'
import { getHouse } from '../../model/owners.ts'
import { fields } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

export class AccountShowCommand extends DatabaseCommand {
  static override paths = [['account', 'show']]
  static override usage = Command.Usage({
    category: 'Hosting',
    description: 'show an account',
    examples: [['Show an account', '$0 account show alice']],
  })

  username = Option.String({ name: 'USERNAME' })

  async act(): Promise<void> {
    const { db } = await this.open()
    const record = await accounts.get(db, await getHouse(db), this.username)
    const account = accounts.toAccount(record)
    const seller = (await readSellers(db)).get(account.username) ?? null
    const words = fields({
      username: account.username,
      state: account.state,
      seller,
      reason: account.suspend_reason,
      suspended: account.suspended_at,
      package: account.package,
      email: account.email,
      websites: account.sites.map(({ domain, ssl }) => `${domain} (SSL ${ssl})`),
      warnings: account.warnings,
      created: account.created_at,
    })
    this.show({ ...account, seller }, words)
  }
}
