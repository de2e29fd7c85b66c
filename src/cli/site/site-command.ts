import { Option } from 'clipanion'
import { z } from 'zod'
import { siteDomain } from '../../model/grammar.ts'
import { AccountCommand } from '../account/account-command.ts'
import { parseWords } from '../words.ts'

const Words = z.object({ DOMAIN: siteDomain })

/** A command about one website of an account. */
export abstract class SiteCommand extends AccountCommand {
  domain = Option.String({ name: 'DOMAIN' })

  protected wanted() {
    const { DOMAIN: domain } = parseWords(Words, { DOMAIN: this.domain })
    return { username: this.username, domain }
  }
}
