import { Command, Option } from 'clipanion'
import { z } from 'zod'
import { get, sitesOf } from '../model/accounts.ts'
import { rootCaller } from '../model/callers.ts'
import { siteDomain } from '../model/grammar.ts'
import { add, remove } from '../model/sites.ts'
import { AccountCommand, accountWords } from './account/account-command.ts'
import { table } from './columns.ts'
import { DatabaseCommand } from './database-command.ts'
import { parseWords } from './words.ts'

const Words = z.object({ DOMAIN: siteDomain })

abstract class SiteCommand extends AccountCommand {
  domain = Option.String({ name: 'DOMAIN' })

  protected wanted() {
    const { DOMAIN: domain } = parseWords(Words, { DOMAIN: this.domain })
    return { username: this.username, domain }
  }
}

export class SiteAddCommand extends SiteCommand {
  static override paths = [['site', 'add']]
  static override usage = Command.Usage({
    category: 'Hosting',
    description: 'add a website to an account',
    details: 'Its certificate is ordered as soon as the domain points here.',
    examples: [['Add a website', '$0 site add alice shop.example']],
  })

  act() {
    return this.write(add, this.wanted(), accountWords)
  }
}

export class SiteRmCommand extends SiteCommand {
  static override paths = [['site', 'rm']]
  static override usage = Command.Usage({
    category: 'Hosting',
    description: 'remove a website from an account',
    details: 'Its files move to `files/removed-DOMAIN` in the home of the account.',
    examples: [['Remove a website, without a question', '$0 site rm alice shop.example --yes']],
  })

  async act() {
    const wanted = this.wanted()
    await this.ask(`Remove the website ${wanted.domain} from ${this.username}?`)
    return this.write(remove, wanted, accountWords)
  }
}

export class SiteLsCommand extends DatabaseCommand {
  static override paths = [['site', 'ls']]
  static override usage = Command.Usage({
    category: 'Hosting',
    description: 'list the websites of an account',
    examples: [['List them', '$0 site ls alice']],
  })

  username = Option.String({ name: 'USERNAME' })

  async act(): Promise<void> {
    const { db } = await this.open()
    const sites = sitesOf(await get(db, await rootCaller(db), this.username))
    const shown = sites.map(({ domain, ssl }) => ({ domain, ssl }))
    this.show({ sites: shown }, table(['DOMAIN', 'SSL'], shown.map(Object.values)))
  }
}
