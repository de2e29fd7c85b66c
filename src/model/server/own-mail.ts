import { type Db, one, oneFirst, run } from '../../db.ts'

// Whether the panel can send mail of its own, and the last attempt's outcome.

/** Returns whether the server has a relay, without which no mail is sent. */
export const hasMailRelay = (db: Db) =>
  oneFirst<boolean>(db)`select mail_relay is not null from panel.server`

/** The last mails that were sent and that failed; null if there was none. */
export type OwnMailState = { sent_at: Date | null; failed_at: Date | null; error: string | null }

export const readOwnMailState = (db: Db) => one<OwnMailState>(db)`
  select sent_at, failed_at, error from panel.own_mail_state`

/** Records that a mail was sent, which ends what was wrong before. */
export const noteMailSent = (db: Db) => run(db)`
  update panel.own_mail_state set sent_at = now(), failed_at = null, error = null`

/** Records why a mail was not sent. */
export const noteMailFailed = (db: Db, why: string) => run(db)`
  update panel.own_mail_state set failed_at = now(), error = ${why}`
