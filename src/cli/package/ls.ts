import { rootCaller } from '../../model/signing-in/callers.ts'
import { getOperator } from '../../model/sellers/operators.ts'
import { listedLimits } from '../../model/sellers/package-limits.ts'
import { list } from '../../model/sellers/packages.ts'
import { table } from '../columns.ts'
import { option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const columns = ['NAME', ...listedLimits.map(({ column }) => column.cli)]

export class PackageLsCommand extends DatabaseCommand {
  static override summary = 'list packages'
  static override details = `
    Lists the catalogue that all administrators share; each reseller has one of their own.
  `
  static override examples = {
    "List the server's own packages": '$0',
    "List a reseller's packages": '$0 --owner bob --json',
  }

  owner = option('--owner', 'operators', 'the reseller whose catalogue to use')

  async act(): Promise<void> {
    const { db } = await this.open()
    const seller = await (this.owner === undefined ? rootCaller(db) : getOperator(db, this.owner))
    const packages = await list(db, seller)
    const rows = packages.map(one => [one.name, ...listedLimits.map(({ name }) => one[name])])
    this.show({ packages }, table(columns, rows))
  }
}
