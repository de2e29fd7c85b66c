import { Option } from 'clipanion'
import { AccountFilter, list } from '../../model/accounts/account-search.ts'
import type { Account } from '../../model/accounts/accounts.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { table } from '../columns.ts'
import { option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = AccountFilter.omit({ after: true, limit: true })

const columns = ['USERNAME', 'STATE', 'PACKAGE', 'DOMAIN', 'SELLER', 'EMAIL', 'CREATED']

export class AccountLsCommand extends DatabaseCommand {
  static override summary = 'list accounts'
  static override examples = {
    'List all': '$0',
    'List the suspended ones for a script': '$0 --state suspended --json',
    'Find the account for an order': '$0 --reference order-1041',
  }

  package = option('--package', 'packages', 'only accounts on this package')
  domain = Option.String('--domain', {
    description: 'only the account that has this domain',
  })
  email = Option.String('--email', { description: 'only accounts with this e-mail address' })
  state = option(
    '--state',
    AccountFilter.shape.state.unwrap().options,
    'only accounts that are provisioning, active, suspended or terminating; with --reference ' +
      'also terminated',
  )
  reference = Option.String('--reference', {
    description: 'only accounts created with this reference',
  })

  async act(): Promise<void> {
    const filter = this.parse(Words)
    const { db } = await this.open()
    const accounts: Account[] = []
    const house = await rootCaller(db)
    let after: string | undefined
    do {
      const page = await list(db, house, { ...filter, after, limit: 1_000 })
      accounts.push(...page.accounts)
      after = page.next ?? undefined
    } while (after !== undefined)
    this.show({ accounts }, table(columns, accounts.map(toRow)))
  }
}

const toRow = (account: Account) => [
  account.username,
  account.state,
  account.package,
  account.domain,
  account.seller,
  account.email,
  account.created_at,
]
