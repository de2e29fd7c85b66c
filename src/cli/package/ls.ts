import { Option } from 'clipanion'
import { rootCaller } from '../../model/callers.ts'
import { getOwner } from '../../model/owners.ts'
import { list } from '../../model/packages.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

const columns = ['NAME', 'SITES', 'DATABASES', 'DISK MB', 'MEMORY MB', 'CPU %', 'SFTP']

export class PackageLsCommand extends DatabaseCommand {
  static override summary = 'list the packages that are sold'
  static override details =
    'Administrators share one catalogue, which is listed; each reseller has its own.'
  static override examples = {
    'List the packages of the house': '$0',
    'List those of a reseller': '$0 --owner bob --json',
  }

  owner = Option.String('--owner', { description: 'whose catalogue' })

  async act(): Promise<void> {
    const { db } = await this.open()
    const seller = await (this.owner === undefined ? rootCaller(db) : getOwner(db, this.owner))
    const packages = await list(db, seller)
    const rows = packages.map(sold => [
      sold.name,
      sold.max_sites,
      sold.max_databases,
      sold.disk_mb,
      sold.memory_mb,
      sold.cpu_percent,
      sold.sftp,
    ])
    this.show({ packages }, table(columns, rows))
  }
}
