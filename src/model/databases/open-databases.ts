import { createHmac } from 'node:crypto'
import { type Db, maybeOne, run, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { onAccount } from '../accounts/accounts.ts'
import { hashForMariaDb } from './database-passwords.ts'
import { databaseIdOf, requireServer } from './databases.ts'
import { hashCookie } from '../signing-in/sessions.ts'

// Opening a database in Adminer. A ticket works once. The cookie that the browser then keeps is
// derived from the ticket and the server's key, and the password of the database's internal user
// from the cookie. So rows store only hashes, and only the browser ever holds the secret.

/** Derives the cookie of a used ticket: knowing the ticket is not enough to compute it. */
export const cookieOf = (ticket: string, serverKey: Buffer): string =>
  createHmac('sha256', serverKey)
    .update(`panel: a session of Adminer\n${ticket}`)
    .digest('base64url')

/**
 * Derives the internal user's password; Adminer's page (src/host/adminer/page.ts) does the same.
 */
const passwordOf = (cookie: string): string =>
  createHmac('sha256', cookie).update('panel: a password of Adminer').digest('hex')

type Opening = { database: string; ticket: string; cookie: string }

/** Opens a database in Adminer for the caller's session, and ends the session that had it open. */
export const openInAdminer = onAccount<Opening>({
  name: 'database/open',
  subject: ({ database }) => database,
  async decide(db, { desired, found }) {
    const databaseId = await databaseIdOf(db, found.id, desired.database)
    await requireServer(db)
    const lack = await findLack(db)
    if (lack !== null) throw new PanelError('unavailable', lack)
    // Opening would wait behind the import in the lane, and its ticket would expire.
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

/** Closes a database in Adminer. */
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

/** Returns why databases cannot be opened in Adminer; null if they can. */
export const findLack = (db: Db): Promise<string | null> =>
  oneFirst<string | null>(db)`select service_warnings ->> 'adminer' from panel.server`

/** Uses up a ticket; returns false if it is not valid. */
export const spendTicket = (db: Db, ticket: string) =>
  oneFirst<boolean>(db)`select panel.use_adminer_ticket(${hashCookie(ticket)})`

/** Returns the database that is open for the browser with this cookie, and its MariaDB user. */
export const findOpen = (db: Db, cookie: string) =>
  maybeOne<{ database: string; username: string }>(db)`
    select database, username from panel.find_adminer_session(${hashCookie(cookie)})`

export const endOpen = (db: Db, cookie: string) =>
  run(db)`select panel.end_adminer_session(${hashCookie(cookie)})`
