import { look } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { SiteCommand } from './site-command.ts'

export class SiteLookCommand extends SiteCommand {
  static override summary = "re-check a website's DNS and request its certificate"
  static override details = `
    Checks at once instead of at the next scheduled check. If the domain now points to this
    server, its certificate is requested. The .htaccess files of the account's websites are read
    again too.
  `
  static override examples = {
    'Re-check after a change of its DNS records': '$0 alice shop.example',
  }

  act() {
    return this.write(look, this.desired(), accountWords)
  }
}
