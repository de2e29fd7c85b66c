import { rootCaller } from '../../model/signing-in/callers.ts'
import { listSizes } from '../../model/databases/databases.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class DatabaseSizeCommand extends DatabaseCommand {
  static override summary = 'show what the databases of an account take of its disk'
  static override details = `
    As it was measured the last time, at most a minute ago. A database that is frozen can only be
    read and made smaller: its account is full.
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
