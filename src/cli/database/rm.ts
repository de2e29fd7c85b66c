import { z } from 'zod'
import { databaseName, drop } from '../../model/databases/databases.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

const Words = z.object({ database: databaseName })

export class DatabaseRmCommand extends WriteCommand {
  static override summary = 'delete a database of an account with all its data'
  static override details = 'Users who have access to no other database are deleted too.'
  static override examples = {
    'Delete a database without confirmation': '$0 alice alice_shop --yes',
  }

  username = argument('USERNAME', 'accounts')
  database = argument('DATABASE', 'databases')

  async act() {
    const { database } = this.parse(Words)
    await this.ask(`Delete the database ${database} of ${this.username} with all its data?`)
    return this.write(drop, { username: this.username, database }, fields)
  }
}
