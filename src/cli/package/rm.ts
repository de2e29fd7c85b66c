import { remove } from '../../model/sellers/packages.ts'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { WriteCommand } from '../write-command.ts'

export class PackageRmCommand extends WriteCommand {
  static override summary = 'delete a package that no account uses'
  static override examples = { 'Remove a package': '$0 starter' }

  name = argument('NAME', 'packages')

  async act() {
    await this.ask(`Remove the package ${this.name}?`)
    return this.write(remove, { name: this.name }, fields)
  }
}
