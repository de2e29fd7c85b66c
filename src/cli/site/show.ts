import { z } from 'zod'
import { get } from '../../model/accounts/accounts.ts'
import { siteDomain } from '../../model/grammar/grammar.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { findSite } from '../../model/sites/site-changes.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { siteWords } from './words.ts'

const Words = z.object({ domain: siteDomain })

export class SiteShowCommand extends DatabaseCommand {
  static override summary = 'show a website with its settings'
  static override examples = { 'Show them': '$0 alice shop.example' }

  username = argument('USERNAME', 'accounts')
  domain = argument('DOMAIN', 'sites')

  async act(): Promise<void> {
    const { domain } = this.parse(Words)
    const { db } = await this.open()
    const account = await get(db, await rootCaller(db), this.username)
    const { id: _, ...site } = await findSite(db, account, domain)
    this.show(site, siteWords(site))
  }
}
