import { Option } from 'clipanion'
import { z } from 'zod'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { makePassword } from '../../model/databases/database-passwords.ts'
import { databaseName, grant, hasUser, rights } from '../../model/databases/databases.ts'
import { fields } from '../columns.ts'
import { argument, completing } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

const Words = z.object({ database: databaseName, user: databaseName, rights })

export class DatabaseUserCommand extends WriteCommand {
  static override summary = 'set what a database user may do with a database'
  static override details = `
    A user that does not exist is created, with a password that is shown once. A user who may no
    longer use any database is deleted.
  `
  static override examples = {
    'Let alice_report read alice_shop': '$0 alice alice_shop alice_report --rights read',
    'Revoke that again': '$0 alice alice_shop alice_report --rights none',
  }

  username = argument('USERNAME', 'accounts')
  database = argument('DATABASE', 'databases')
  user = argument('USER', 'database-users')
  rights = completing(
    ['all', 'read', 'none'],
    Option.String('--rights', 'all', { description: 'the rights: all, read or none' }),
  )

  async act() {
    const { username } = this
    const words = this.parse(Words)
    const { db } = await this.open()
    const isThere = await hasUser(db, await rootCaller(db), { username, user: words.user })
    const made = isThere || words.rights === 'none' ? undefined : { password: makePassword() }
    return this.write(grant, { username, ...words, ...made }, fields, made)
  }
}
