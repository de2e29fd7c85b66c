import { remove } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { SiteCommand } from './site-command.ts'

export class SiteRmCommand extends SiteCommand {
  static override summary = 'remove a website from an account'
  static override details = 'Its files move to `files/removed-DOMAIN` in the home of the account.'
  static override examples = {
    'Remove a website without confirmation': '$0 alice shop.example --yes',
  }

  async act() {
    const desired = this.desired()
    await this.ask(`Remove the website ${desired.domain} from ${this.username}?`)
    return this.write(remove, desired, accountWords)
  }
}
