import { Option } from 'clipanion'
import { z } from 'zod'
import { getFor } from '../../../model/mail/mail-domains.ts'
import { mailDomain } from '../../../model/mail/mail-grammar.ts'
import { rootCaller } from '../../../model/signing-in/callers.ts'
import { table } from '../../columns.ts'
import { argument } from '../../completion/completers.ts'
import { DatabaseCommand } from '../../database-command.ts'
import { mailDomainWords } from './words.ts'

const Words = z.object({ domain: mailDomain })

export class MailDomainShowCommand extends DatabaseCommand {
  static override summary = 'show a mail domain, and what the last check of its DNS found'
  static override details = `
    Each record is ok, missing or wrong; unknown means that no name server answered. Domains are
    checked daily, and more often until they are proved.
  `
  static override examples = { 'Show it': '$0 alice alice.example' }

  username = argument('USERNAME', 'accounts')
  domain = Option.String({ name: 'DOMAIN' })

  async act(): Promise<void> {
    const words = { username: this.username, ...this.parse(Words) }
    const { db } = await this.open()
    const domain = await getFor(db, await rootCaller(db), words)
    const rows = domain.records.map(({ record, result, found }) => [
      record,
      result ?? 'not checked',
      found.join(', '),
    ])
    const isBad = (row: number) => !['ok', null].includes(domain.records[row]!.result)
    const records = table(['RECORD', 'RESULT', 'FOUND'], rows, { minColumns: 2, isBad })
    const all = mailDomainWords(domain)
    this.show(domain, display => `${all(display)}\n${records(display)}`)
  }
}
