import { Option } from 'clipanion'
import { add } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { SiteCommand } from './site-command.ts'

export class SiteAddCommand extends SiteCommand {
  static override summary = 'add a website to an account'
  static override details = `
    A certificate is requested as soon as the domain points to this server.
  `
  static override examples = { 'Add a website': '$0 alice shop.example' }

  override domain = Option.String({ name: 'DOMAIN' })

  act() {
    return this.write(add, this.desired(), accountWords)
  }
}
