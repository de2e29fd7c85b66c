import { get, sitesOf } from '../../model/accounts/accounts.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class SiteLsCommand extends DatabaseCommand {
  static override summary = 'list the websites of an account'
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const sites = sitesOf(await get(db, await rootCaller(db), this.username))
    const shown = sites.map(({ domain, ssl, isHttpsOnly, servesSources }) => ({
      ...{ domain, ssl },
      https_only: isHttpsOnly,
      serves_sources: servesSources,
    }))
    const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')
    const rows = shown.map(({ domain, ssl, https_only, serves_sources }) => [
      ...[domain, ssl],
      ...[yesOrNo(https_only), yesOrNo(serves_sources)],
    ])
    this.show({ sites: shown }, table(['DOMAIN', 'SSL', 'HTTPS ONLY', 'SERVES SOURCES'], rows))
  }
}
