import { rootCaller } from '../../model/signing-in/callers.ts'
import { listSizes } from '../../model/databases/databases.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class DatabaseSizeCommand extends DatabaseCommand {
  static override summary = "show the disk usage of an account's databases"
  static override details = `
    Sizes are measured once a minute. If the account is full, its databases are frozen: they can
    only be read and made smaller.
  `
  static override examples = { 'Show their sizes': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const sizes = await listSizes(db, await rootCaller(db), this.username)
    const rows = sizes.map(({ database, bytes, frozen }) => [database, bytes, frozen])
    this.show({ databases: sizes }, table(['DATABASE', 'BYTES', 'FROZEN'], rows))
  }
}
