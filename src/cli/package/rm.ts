import { Command, Option } from 'clipanion'
import { remove } from '../../model/packages.ts'
import { fields } from '../columns.ts'
import { WriteCommand } from '../write-command.ts'

export class PackageRmCommand extends WriteCommand {
  static override paths = [['package', 'rm']]
  static override usage = Command.Usage({
    category: 'Hosting',
    description: 'remove a package of the house that no account uses',
    examples: [['Remove a package', '$0 package rm starter']],
  })

  name = Option.String({ name: 'NAME' })

  async act() {
    await this.ask(`Remove the package ${this.name}?`)
    return this.write(remove, { name: this.name }, fields)
  }
}
