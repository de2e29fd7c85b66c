import { Option } from 'clipanion'
import { z } from 'zod'
import { setHttps } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { yesOrNo } from '../words.ts'
import { SiteCommand } from './site-command.ts'

const Words = z.object({ https_only: yesOrNo })

export class SiteSetHttpsCommand extends SiteCommand {
  static override summary = 'send visitors of a website by HTTP to HTTPS, or serve them'
  static override details = `
    They are sent on from the moment that the website has a certificate, by a permanent redirect
    (301), which browsers remember.
  `
  static override examples = {
    'Serve by HTTPS alone': '$0 alice shop.example --https-only yes',
  }

  https_only = Option.String('--https-only', {
    required: true,
    description: 'whether HTTPS alone is served: yes or no',
  })

  act() {
    return this.write(setHttps, { ...this.desired(), ...this.parse(Words) }, accountWords)
  }
}
