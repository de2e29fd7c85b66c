import { randomUUID } from 'node:crypto'
import type { Courier, CourierTask } from '../../src/courier/task.ts'
import { unlessAbandoned } from '../../src/courier/unless-abandoned.ts'
import * as links from '../../src/model/signing-in/password-links.ts'
import { noteMailFailed, noteMailSent } from '../../src/model/server/own-mail.ts'
import { jobs } from '../../src/queue/job-list.ts'
import { toWords } from '../../src/queue/undo.ts'

// Mails each person of a request a link to choose a new password. A failure is tried again for some
// minutes; a person gets at most three links an hour, however often this is interrupted.
const sendPasswordLink: CourierTask = async (payload, _helpers, courier) => {
  const { requestId } = jobs['mail/send-password-link'].payload.parse(payload)
  if (courier.stopping.aborted) return
  const { pool, observe } = courier
  const addressees = await links.findAddressees(pool, requestId)
  for (const addressee of addressees) {
    await unlessAbandoned(courier, sendTo(courier, requestId, addressee))
  }
  await observe('end', () => links.endPasswordRequest(pool, requestId))
}

export default sendPasswordLink

async function sendTo(
  { pool, sendMail, observe, baseUrl, serverName }: Courier,
  requestId: string,
  addressee: links.Addressee,
): Promise<void> {
  const secret = await links.addPasswordLink(pool, requestId, addressee)
  if (secret === undefined) return
  const { name, email } = addressee
  const letter = {
    ...{ id: randomUUID(), to: email },
    subject: `Choose a new password for ${name}`,
    text: textFor(name, serverName, `${baseUrl}/sign-in/password/${secret}`),
  }
  try {
    if (await observe('send', () => sendMail(letter))) await noteMailSent(pool)
  } catch (error) {
    await links.removePasswordLink(pool, secret)
    await noteMailFailed(pool, toWords(error))
    throw error
  }
}

const textFor = (name: string, serverName: string, address: string): string => `Hello,

a new password was requested for ${name} on ${serverName}. Choose it on this page:

${address}

The link works once, within ${links.linkMinutes} minutes.

If you did not request it, ignore this mail: your password has not changed.
`
