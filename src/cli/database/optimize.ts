import { z } from 'zod'
import { databaseName, optimize } from '../../model/databases/databases.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

const Words = z.object({ database: databaseName })

export class DatabaseOptimizeCommand extends WriteCommand {
  static override summary = 'give back the room of rows that were deleted from a database'
  static override details = `
    Deleting rows does not make a table's file smaller: it is written anew, also where the account
    is full and nothing else may be written.
  `
  static override examples = { 'Make a database smaller': '$0 alice alice_shop' }

  username = argument('USERNAME', 'accounts')
  database = argument('DATABASE', 'databases')

  act() {
    const desired = { username: this.username, ...this.parse(Words) }
    return this.write(optimize, desired, fields)
  }
}
