import { z } from 'zod'
import { databaseName, optimize } from '../../model/databases/databases.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

const Words = z.object({ database: databaseName })

export class DatabaseOptimizeCommand extends WriteCommand {
  static override summary = 'free the disk space of rows deleted from a database'
  static override details = `
    Deleting rows does not shrink a table's file. This command rewrites the file, even if the
    account is full and cannot write anything else.
  `
  static override examples = { 'Shrink a database': '$0 alice alice_shop' }

  username = argument('USERNAME', 'accounts')
  database = argument('DATABASE', 'databases')

  act() {
    const desired = { username: this.username, ...this.parse(Words) }
    return this.write(optimize, desired, fields)
  }
}
