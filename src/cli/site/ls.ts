import { get } from '../../model/accounts/accounts.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { listSites } from '../../model/sites/site-changes.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class SiteLsCommand extends DatabaseCommand {
  static override summary = 'list the websites of an account'
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const account = await get(db, await rootCaller(db), this.username)
    const sites = await listSites(db, account)
    const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')
    const rows = sites.map(({ domain, ssl, https_only, serves_sources }) => [
      ...[domain, ssl],
      ...[yesOrNo(https_only), yesOrNo(serves_sources)],
    ])
    this.show({ sites }, table(['DOMAIN', 'SSL', 'HTTPS ONLY', 'SERVES SOURCES'], rows))
  }
}
