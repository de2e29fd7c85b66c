import { Option } from 'clipanion'
import { addOperator, NewOperator } from '../../model/sellers/operators.ts'
import { completing } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { newPassword } from '../password.ts'

const Words = NewOperator.omit({ password: true })

export class UserAddCommand extends DatabaseCommand {
  static override summary = 'add an administrator or a reseller'
  static override details = `
    The password is prompted for, or read from standard input with --password-stdin. Without
    either, a password is generated and shown once.

    A reseller can create accounts once they have a plan: \`panel reseller set\`.
  `
  static override examples = {
    'Add a reseller': '$0 bob --role reseller --email bob@example.com',
    'Add an administrator from a script':
      '$0 carol --role administrator --email carol@example.com --password-stdin --json',
  }

  name = Option.String({ name: 'NAME' })
  role = completing(
    NewOperator.shape.role.options,
    Option.String('--role', { required: true, description: 'administrator or reseller' }),
  )
  email = Option.String('--email', { required: true, description: "the user's mail address" })
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })

  async act(): Promise<void> {
    const operator = this.parse(Words)
    const { db } = await this.open()
    const { password, isGenerated } = await newPassword(this.context, this.passwordStdin)
    const change = { action: 'operator/add', about: `${operator.name}, ${operator.role}` } as const
    await this.recorded(db, change, own => addOperator(own, { ...operator, password }))
    this.show({ ...operator, ...(isGenerated ? { password } : {}) })
    if (isGenerated) this.report('the password will not be shown again')
    if (operator.role === 'reseller') {
      this.report(`${operator.name} needs a plan first: panel reseller set ${operator.name}`)
    }
  }
}
