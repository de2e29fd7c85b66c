import { Option } from 'clipanion'
import { z } from 'zod'
import { set } from '../../model/sites/sites.ts'
import { accountWords } from '../account/account-command.ts'
import { yesOrNo } from '../words.ts'
import { SiteCommand } from './site-command.ts'

const Words = z.object({ serve_sources: yesOrNo })

export class SiteSetCommand extends SiteCommand {
  static override summary = 'change what is served of a website'
  static override details = `
    By default no visitor gets source files, copies of them or database dumps. With --serve-sources
    yes anyone who guesses their names can read them, passwords included. Files with the extension
    .php are still run, and names that begin with a dot, wp-config.php and auth.json stay closed.
  `
  static override examples = {
    'Offer source files for download': '$0 alice shop.example --serve-sources yes',
  }

  serve_sources = Option.String('--serve-sources', {
    required: true,
    description: 'whether source files, their copies and dumps are served: yes or no',
  })

  act() {
    const { serve_sources } = this.parse(Words)
    return this.write(set, { ...this.desired(), serves_sources: serve_sources }, accountWords)
  }
}
