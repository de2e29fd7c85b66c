import { recheck } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { SiteCommand } from './site-command.ts'

export class SiteRecheckCommand extends SiteCommand {
  static override summary = "check a website's DNS again and request its certificate"
  static override details = `
    Checks at once instead of at the next scheduled check. If the domain now points to this
    server, its certificate is requested. The .htaccess files of the account's websites are read
    again too.
  `
  static override examples = {
    'Check it after a change of its DNS records': '$0 alice shop.example',
  }

  act() {
    return this.write(recheck, this.desired(), accountWords)
  }
}
