import { rootCaller } from '../../model/signing-in/callers.ts'
import { list } from '../../model/databases/databases.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class DatabaseLsCommand extends DatabaseCommand {
  static override summary = 'list the databases of an account and their users'
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const databases = await list(db, await rootCaller(db), this.username)
    const rows = databases.map(({ database, users }) => [
      database,
      users.map(({ user, rights }) => `${user} (${rights})`),
    ])
    this.show({ databases }, table(['DATABASE', 'USERS'], rows))
  }
}
