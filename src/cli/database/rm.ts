import { z } from 'zod'
import { databaseName, drop } from '../../model/databases/databases.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

const Words = z.object({ database: databaseName })

export class DatabaseRmCommand extends WriteCommand {
  static override summary = 'remove a database of an account, with all that is in it'
  static override details = 'Users who have no other database go along.'
  static override examples = {
    'Remove a database, without a question': '$0 alice alice_shop --yes',
  }

  username = argument('USERNAME', 'accounts')
  database = argument('DATABASE', 'databases')

  async act() {
    const { database } = this.parse(Words)
    await this.ask(`Remove the database ${database} of ${this.username}, with all that is in it?`)
    return this.write(drop, { username: this.username, database }, fields)
  }
}
