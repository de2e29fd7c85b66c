import * as writes from '../../model/accounts/account-writes.ts'
import { argument } from '../completion/completers.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountSetPackageCommand extends AccountCommand {
  static override summary = "change an account's package"
  static override details = "The package must be in the catalogue of the account's seller."
  static override examples = { 'Move an account to another package': '$0 alice business' }

  package = argument('PACKAGE', 'packages')

  act() {
    const desired = { username: this.username, package: this.package }
    return this.write(writes.changePackage, desired, accountWords)
  }
}
