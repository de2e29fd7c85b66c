import { Option } from 'clipanion'
import { z } from 'zod'
import { readSiteLog } from '../../host/web/read-site-log.ts'
import { machineOf } from '../../host/machine.ts'
import { get } from '../../model/accounts/accounts.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { siteDomain } from '../../model/grammar/grammar.ts'
import { findSite } from '../../model/sites/site-changes.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { oneLine } from '../foreign-text.ts'
import { wholeNumber } from '../words.ts'

const Words = z.object({
  domain: siteDomain,
  lines: wholeNumber.refine(count => count >= 1 && count <= 10_000, 'must be 1 to 10000'),
  filter: z.string().max(200, 'must have at most 200 characters'),
})

export class SiteLogsCommand extends DatabaseCommand {
  static override summary = 'show the last lines of the logs of a website'
  static override details = `
    Shows the access log, or with --errors the failed requests and the errors that PHP has logged
    for files of the website. The worker adds lines once a minute.
  `
  static override examples = {
    'Show the last requests': '$0 alice example.com',
    'Show failed requests and PHP errors': '$0 alice example.com --errors',
    'Search for an address': '$0 alice example.com --filter 192.0.2.7',
  }

  username = argument('USERNAME', 'accounts')
  domain = argument('DOMAIN', 'sites')
  errors = Option.Boolean('--errors', false, { description: 'show errors instead of requests' })
  filter = Option.String('--filter', '', {
    description: 'show only lines that contain this text, in any case',
  })
  lines = Option.String('--lines', '200', { description: 'the maximum number of lines' })

  async act(): Promise<void> {
    const { domain, filter, lines: count } = this.parse(Words)
    const { db, config } = await this.open()
    const account = await get(db, await rootCaller(db), this.username)
    await findSite(db, account, domain)
    const kind = this.errors ? ('error' as const) : ('access' as const)
    const lines = readSiteLog(machineOf(config), account, domain, { kind, filter, count })
    this.show({ lines }, lines.map(line => `${oneLine(line)}\n`).join(''))
  }
}
