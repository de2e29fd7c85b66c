import { createHmac } from 'node:crypto'
import { type Db, maybeOne, run, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { onAccount } from '../accounts/accounts.ts'
import { hashForMariaDb } from './database-passwords.ts'
import { databaseIdOf, requireServer } from './databases.ts'
import { hashCookie } from '../signing-in/sessions.ts'

// A database in Adminer: a ticket leads there once, what the browser keeps then follows from the
// ticket and the server's key, and the password of the database's internal user from that. So rows
// have hashes alone, and nobody passes a secret on but the browser.

/** What the browser keeps once a ticket is used: who has seen the ticket cannot tell it. */
export const cookieOf = (ticket: string, serverKey: Buffer): string =>
  createHmac('sha256', serverKey)
    .update(`panel: a session of Adminer\n${ticket}`)
    .digest('base64url')

/** What Adminer's own page (src/host/adminer/page.ts) makes of it too. */
const passwordOf = (cookie: string): string =>
  createHmac('sha256', cookie).update('panel: a password of Adminer').digest('hex')

type Opening = { database: string; ticket: string; cookie: string }

/** Opens a database in Adminer, for the session that asks; who had it open before is ended. */
export const openInAdminer = onAccount<Opening>({
  name: 'database/open',
  subject: ({ database }) => database,
  async decide(db, { desired, found }) {
    const databaseId = await databaseIdOf(db, found.id, desired.database)
    await requireServer(db)
    const lack = await findLack(db)
    if (lack !== null) throw new PanelError('unavailable', lack)
    // It would wait behind that in the lane, and its ticket would be over.
    if (await isImporting(db, found.id)) throw new PanelError('invalid', importing)
    const { ticket, cookie } = desired
    const params = {
      database_id: databaseId,
      ticket: hashCookie(ticket).toString('hex'),
      cookie: hashCookie(cookie).toString('hex'),
      hash: hashForMariaDb(passwordOf(cookie)),
    }
    return { accountId: found.id, params }
  },
})

/** Ends what is done in a database through Adminer. */
export const closeInAdminer = onAccount<{ database: string }>({
  name: 'database/close',
  subject: ({ database }) => database,
  async decide(db, { desired, found }) {
    const databaseId = await databaseIdOf(db, found.id, desired.database)
    return { accountId: found.id, params: { database_id: databaseId } }
  },
})

const isImporting = (db: Db, accountId: string): Promise<boolean> =>
  oneFirst<boolean>(db)`
    select exists (
      select from panel.operations o
      where o.account_id = ${accountId} and o.name = 'database/import'
        and o.state in ('blocked', 'queued', 'running', 'undoing'))`

const importing = 'A dump is being imported: open the database once the import has finished'

/** Why no database can be opened in Adminer; null where it can. */
export const findLack = (db: Db): Promise<string | null> =>
  oneFirst<string | null>(db)`select adminer_warning from panel.server`

/** Uses a ticket up; false where there is nothing to use. */
export const spendTicket = (db: Db, ticket: string) =>
  oneFirst<boolean>(db)`select panel.use_adminer_ticket(${hashCookie(ticket)})`

/** What is open for the browser that keeps this, and as which user of MariaDB. */
export const findOpen = (db: Db, cookie: string) =>
  maybeOne<{ database: string; username: string }>(db)`
    select database, username from panel.find_adminer_session(${hashCookie(cookie)})`

export const endOpen = (db: Db, cookie: string) =>
  run(db)`select panel.end_adminer_session(${hashCookie(cookie)})`
