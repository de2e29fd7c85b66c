import { argument } from '../completion/completers.ts'
import { SharedParentCommand } from './shared-parent-command.ts'

export class SharedParentRmCommand extends SharedParentCommand {
  static override summary = 'stop letting every account add websites below a domain'
  static override details = 'Existing websites below it stay.'
  static override examples = { 'Stop offering free subdomains': '$0 free.example.net' }

  override domain = argument('DOMAIN', 'shared-parents')

  act() {
    return this.change('removed')
  }
}
