import { Command, Option } from 'clipanion'
import * as writes from '../../model/account-writes.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountSetPackageCommand extends AccountCommand {
  static override paths = [['account', 'set-package']]
  static override usage = Command.Usage({
    category: 'Hosting',
    description: "change an account's package",
    details: `
      To one that the account's own seller sells.
    `,
    examples: [['Move an account to another package', '$0 account set-package alice business']],
  })

  package = Option.String({ name: 'PACKAGE' })

  act() {
    const wanted = { username: this.username, package: this.package }
    return this.write(writes.changePackage, wanted, accountWords)
  }
}
