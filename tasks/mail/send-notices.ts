import type { Courier, CourierTask } from '../../src/courier/task.ts'
import { unlessAbandoned } from '../../src/courier/unless-abandoned.ts'
import { findNewer } from '../../src/model/server/newest-release.ts'
import { noteMailFailed, noteMailSent } from '../../src/model/server/own-mail.ts'
import * as notices from '../../src/model/notices/notices.ts'
import { toWords } from '../../src/queue/undo.ts'

// Finds what people are to be notified of, and sends the mails that are due; repeated each minute.
// The rows say what was sent: killed at any line, the next run continues.
const sendNotices: CourierTask = async (_payload, _helpers, courier) => {
  const { pool, observe, version, stopping } = courier
  const newer = await findNewer(pool, version)
  await observe('find', () => notices.sweepNotices(pool, newer))
  while (!stopping.aborted) {
    const mail = await observe('start', () => notices.startNoticeMail(pool))
    if (mail === undefined) return
    await unlessAbandoned(courier, send(courier, mail))
  }
}

export default sendNotices

async function send(courier: Courier, mail: notices.NoticeMail): Promise<void> {
  const { pool, observe, sendMail } = courier
  const written = notices.writeMail(mail, courier)
  // The accounts that it was about are gone.
  if (written === undefined) {
    await notices.endNoticeMail(pool, mail.id, null)
    return
  }
  let error: string | null = null
  try {
    const letter = { id: mail.id, to: mail.email, ...written }
    const isSent = await observe('send', () => sendMail(letter))
    if (!isSent) error = 'There is no mail relay'
  } catch (cause) {
    error = toWords(cause)
  }
  await observe('end', () => notices.endNoticeMail(pool, mail.id, error))
  await (error === null ? noteMailSent(pool) : noteMailFailed(pool, error))
}
