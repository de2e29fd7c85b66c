import { Option } from 'clipanion'
import * as writes from '../../model/accounts/account-writes.ts'
import { completing } from '../completion/completers.ts'
import { newPassword } from '../password.ts'
import { AccountCommand, accountWords } from './account-command.ts'

const Words = writes.NewAccount.omit({ password: true })

export class AccountCreateCommand extends AccountCommand {
  static override summary = 'create an account'
  static override examples = {
    'Create an account with a website':
      '$0 alice --email alice@example.com --package starter --domain alice.example',
  }

  email = Option.String('--email', { required: true, description: "the customer's mail address" })
  package = completing(
    'packages',
    Option.String('--package', {
      required: true,
      description: "a package in the server's own catalogue",
    }),
  )
  domain = Option.String('--domain', { description: 'the first website' })
  reference = Option.String('--reference', {
    description: 'your own reference, such as an order number; unique per seller',
  })
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })

  async act() {
    const { username, ...words } = this.parse(Words)
    const { password, isGenerated } = await newPassword(this.context, this.passwordStdin)
    const desired = { username, password, ...words }
    return this.write(writes.create, desired, accountWords, isGenerated ? { password } : undefined)
  }
}
