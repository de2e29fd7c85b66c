import { Option } from 'clipanion'
import { type Account, AccountFilter, list } from '../../model/accounts.ts'
import { rootCaller } from '../../model/callers.ts'
import { readSellers } from '../../model/owner-lists.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = AccountFilter.pick({ package: true, state: true, reference: true })

const columns = ['USERNAME', 'STATE', 'PACKAGE', 'DOMAIN', 'SELLER', 'EMAIL', 'CREATED']

export class AccountLsCommand extends DatabaseCommand {
  static override summary = 'list accounts'
  static override examples = {
    'List all': '$0',
    'List the suspended ones for a script': '$0 --state suspended --json',
    'Find the account of an order': '$0 --reference order-1041',
  }

  package = Option.String('--package', { description: 'only accounts on this package' })
  state = Option.String('--state', {
    description:
      'only those that are provisioning, active, suspended or terminating; with a reference ' +
      'also terminated',
  })
  reference = Option.String('--reference', {
    description: 'only the account created with it, of each seller',
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
    const sellers = await readSellers(db)
    const sold = accounts.map(one => ({ ...one, seller: sellers.get(one.username) ?? null }))
    this.show({ accounts: sold }, table(columns, sold.map(toRow)))
  }
}

const toRow = (account: Account & { seller: string | null }) => [
  account.username,
  account.state,
  account.package,
  account.domain,
  account.seller,
  account.email,
  account.created_at,
]
