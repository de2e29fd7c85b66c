import { argument } from '../completion/completers.ts'
import { SharedParentCommand } from './shared-parent-command.ts'

export class SharedParentRmCommand extends SharedParentCommand {
  static override summary = 'end that every account may add websites below a domain'
  static override details = 'Websites that exist below it stay.'
  static override examples = { 'End free subdomains': '$0 free.example.net' }

  override domain = argument('DOMAIN', 'shared-parents')

  act() {
    return this.change('removed')
  }
}
