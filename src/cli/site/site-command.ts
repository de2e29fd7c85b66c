import { z } from 'zod'
import { siteDomain } from '../../model/grammar/grammar.ts'
import { AccountCommand } from '../account/account-command.ts'
import { argument } from '../completion/completers.ts'

const Words = z.object({ domain: siteDomain })

/** A command about one website of an account. */
export abstract class SiteCommand extends AccountCommand {
  domain = argument('DOMAIN', 'sites')

  protected desired() {
    return { username: this.username, ...this.parse(Words) }
  }
}
