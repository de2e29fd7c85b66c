import { z } from 'zod'
import { makePassword } from '../../model/databases/database-passwords.ts'
import { databaseName, setPassword } from '../../model/databases/databases.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

const Words = z.object({ user: databaseName })

export class DatabasePasswordCommand extends WriteCommand {
  static override summary = 'give a database user a new password'
  static override details = `
    The password is generated and shown once. Connections opened with the old password are
    closed.
  `
  static override examples = { 'Replace the password of alice_shop': '$0 alice alice_shop' }

  username = argument('USERNAME', 'accounts')
  user = argument('USER', 'database-users')

  act() {
    const password = makePassword()
    const desired = { username: this.username, ...this.parse(Words), password }
    return this.write(setPassword, desired, fields, { password })
  }
}
