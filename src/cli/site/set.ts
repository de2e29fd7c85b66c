import { Option } from 'clipanion'
import { z } from 'zod'
import { set } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { yesOrNo } from '../words.ts'
import { SiteCommand } from './site-command.ts'

const Words = z.object({ serve_sources: yesOrNo })

export class SiteSetCommand extends SiteCommand {
  static override summary = 'change which files a website serves'
  static override details = `
    By default visitors cannot download source files, copies of them or database dumps. With
    --serve-sources yes anyone who guesses their names can read them, including any passwords.
    Files with the extension .php are still run, and names that begin with a dot, wp-config.php
    and auth.json stay blocked.
  `
  static override examples = {
    'Offer source files for download': '$0 alice shop.example --serve-sources yes',
  }

  serve_sources = Option.String('--serve-sources', {
    required: true,
    description: 'whether to serve source files, their copies and dumps: yes or no',
  })

  act() {
    const { serve_sources } = this.parse(Words)
    return this.write(set, { ...this.desired(), serves_sources: serve_sources }, accountWords)
  }
}
