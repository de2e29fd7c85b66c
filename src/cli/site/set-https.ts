import { Option } from 'clipanion'
import { z } from 'zod'
import { setHttps } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { yesOrNo } from '../words.ts'
import { SiteCommand } from './site-command.ts'

const Words = z.object({ https_only: yesOrNo })

export class SiteSetHttpsCommand extends SiteCommand {
  static override summary = "redirect a website's HTTP visitors to HTTPS, or stop doing so"
  static override details = `
    The redirect starts once the website has a certificate. It is permanent (301), and browsers
    remember it.
  `
  static override examples = {
    'Serve over HTTPS only': '$0 alice shop.example --https-only yes',
  }

  https_only = Option.String('--https-only', {
    required: true,
    description: 'whether to serve HTTPS only: yes or no',
  })

  act() {
    return this.write(setHttps, { ...this.desired(), ...this.parse(Words) }, accountWords)
  }
}
