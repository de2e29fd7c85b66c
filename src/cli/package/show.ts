import { rootCaller } from '../../model/signing-in/callers.ts'
import { getOperator } from '../../model/sellers/operators.ts'
import { get } from '../../model/sellers/packages.ts'
import { fields } from '../columns.ts'
import { argument, option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class PackageShowCommand extends DatabaseCommand {
  static override summary = 'show a package'
  static override examples = {
    'Show a package': '$0 starter',
    "Show a reseller's package": '$0 starter --owner bob',
  }

  name = argument('NAME', 'packages')
  owner = option('--owner', 'operators', 'the reseller whose catalogue to use')

  async act(): Promise<void> {
    const { db } = await this.open()
    const seller = await (this.owner === undefined ? rootCaller(db) : getOperator(db, this.owner))
    const found = await get(db, seller, this.name)
    this.show(found, fields(found))
  }
}
