import { listTrustedProxies, networksOf } from '../../../model/server/trusted-proxies.ts'
import { DatabaseCommand } from '../../database-command.ts'
import { proxiesTable } from './trusted-proxies-command.ts'

export class WebTrustedProxiesLsCommand extends DatabaseCommand {
  static override summary = 'list the proxies that websites trust'
  static override details =
    'With --json, `networks` lists every network, including those of Cloudflare.'
  static override examples = { 'List them': '$0' }

  async act(): Promise<void> {
    const { db } = await this.open()
    const trusted_proxies = await listTrustedProxies(db)
    const networks = networksOf(trusted_proxies)
    this.show({ trusted_proxies, networks }, proxiesTable({ trusted_proxies }))
  }
}
