import { look } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { SiteCommand } from './site-command.ts'

export class SiteLookCommand extends SiteCommand {
  static override summary = 'look again where a website points, for its certificate'
  static override details = `
    It is looked at now, and not only at the next turn; where its name points here by now its
    certificate is ordered. The .htaccess files of its account's websites are read again too.
  `
  static override examples = {
    'Look again after a change of its DNS records': '$0 alice shop.example',
  }

  act() {
    return this.write(look, this.desired(), accountWords)
  }
}
