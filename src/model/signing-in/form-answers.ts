import { type Db, maybeOne, run } from '../../db.ts'
import type { Session } from './sessions.ts'

// The answers of forms that are not operations: operations store their own answers.

type Sent = { session: Pick<Session, 'id'>; key: string; fingerprint: Buffer }

/**
 * Returns the answer to a form that was sent before; undefined if it was not sent, or is in
 * progress.
 */
export async function findAnswer(db: Db, { session, key, fingerprint }: Sent) {
  const found = await maybeOne<{ is_same: boolean; reply: Buffer | null }>(db)`
    select fingerprint = ${fingerprint} as is_same, reply
    from panel.form_answers where session_id = ${session.id} and key = ${key}`
  if (found?.is_same === false) return 'another'
  return found?.reply ?? undefined
}

/** Claims a form's key until the transaction ends; waits for an earlier claim. */
export async function claimForm(db: Db, { session, key, fingerprint }: Sent): Promise<boolean> {
  const claimed = await maybeOne(db)`
    insert into panel.form_answers (session_id, key, fingerprint)
    values (${session.id}, ${key}, ${fingerprint})
    on conflict do nothing
    returning true`
  return claimed !== undefined
}

/** Stores the answer of a form, which may have ended the session that it was sent in. */
export const keepAnswer = (db: Db, { session, key }: Sent, reply: Buffer) => run(db)`
  update panel.form_answers set reply = ${reply}
  where session_id = ${session.id} and key = ${key}`
