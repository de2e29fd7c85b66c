import { migrate } from '../../../src/migrate.ts'
import { makeDatabase } from '../panel.ts'
import type { Bench } from '../row.ts'
import { openSide, type Side } from './side.ts'

export type AskedOfMail =
  | { mailbox: 'floor' | 'ours' }
  /** Accounts with mail domains, each with mailboxes. */
  | { others: { accounts: number; domains: number; mailboxes: number } }

export type MailSide = Side<AskedOfMail>

/** A copy of the machine with the panel and its mail daemons, on a database of its own. */
export async function openMailSide(bench: Bench, database: string): Promise<MailSide> {
  const url = await makeDatabase(bench, database)
  await migrate(url)
  return openSide<AskedOfMail>(bench, 'mail', { DATABASE_URL: url })
}
