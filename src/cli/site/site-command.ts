import { Option } from 'clipanion'
import { z } from 'zod'
import { siteDomain } from '../../model/grammar.ts'
import { AccountCommand } from '../account/account-command.ts'

const Words = z.object({ domain: siteDomain })

/** A command about one website of an account. */
export abstract class SiteCommand extends AccountCommand {
  domain = Option.String({ name: 'DOMAIN' })

  protected wanted() {
    return { username: this.username, ...this.parse(Words) }
  }
}
