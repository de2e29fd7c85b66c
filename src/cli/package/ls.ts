import { rootCaller } from '../../model/signing-in/callers.ts'
import { getOperator } from '../../model/sellers/operators.ts'
import { listedLimits } from '../../model/sellers/package-limits.ts'
import { list } from '../../model/sellers/packages.ts'
import { table } from '../columns.ts'
import { option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const columns = ['NAME', ...listedLimits.map(({ column }) => column.cli)]

export class PackageLsCommand extends DatabaseCommand {
  static override summary = 'list the packages that are sold'
  static override details =
    'Administrators share one catalogue, which is listed; each reseller has its own.'
  static override examples = {
    'List the packages of the house': '$0',
    'List those of a reseller': '$0 --owner bob --json',
  }

  owner = option('--owner', 'operators', 'whose catalogue')

  async act(): Promise<void> {
    const { db } = await this.open()
    const seller = await (this.owner === undefined ? rootCaller(db) : getOperator(db, this.owner))
    const packages = await list(db, seller)
    const rows = packages.map(sold => [sold.name, ...listedLimits.map(({ name }) => sold[name])])
    this.show({ packages }, table(columns, rows))
  }
}
