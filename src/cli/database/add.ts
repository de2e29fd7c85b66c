import { Option } from 'clipanion'
import { z } from 'zod'
import { makePassword } from '../../model/databases/database-passwords.ts'
import { create, suffix } from '../../model/databases/databases.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

const Words = z.object({ suffix })

export class DatabaseAddCommand extends WriteCommand {
  static override summary = 'add a database to an account, with a user of the same name'
  static override details = `
    The name is the account's username, an underscore and SUFFIX. The password is generated and
    shown once.
  `
  static override examples = { 'Add the database alice_shop': '$0 alice shop' }

  username = argument('USERNAME', 'accounts')
  suffix = Option.String({ name: 'SUFFIX' })

  act() {
    const password = makePassword()
    const desired = { username: this.username, ...this.parse(Words), password }
    return this.write(create, desired, fields, { password })
  }
}
