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
  // A job that fails is run again by the next courier; one that returns is over.
  courier.stopping.throwIfAborted()
  const { pool, observe } = courier
  const addressees = await links.findAddressees(pool, requestId)
  const errors: unknown[] = []
  for (const addressee of addressees) {
    // An address that the relay refuses keeps no other from its mail.
    const sent = sendTo(courier, requestId, addressee)
    await unlessAbandoned(courier, sent).catch((error: unknown) => errors.push(error))
    courier.abandoned.throwIfAborted()
  }
  if (errors.length > 0) throw errors[0]
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
  let isSent = false
  try {
    isSent = await observe('send', () => sendMail(letter))
  } catch (error) {
    await links.removePasswordLink(pool, secret)
    await noteMailFailed(pool, toWords(error))
    throw error
  }
  // Without a relay nothing was sent.
  await (isSent ? noteMailSent(pool) : links.removePasswordLink(pool, secret))
}

const textFor = (name: string, serverName: string, address: string): string => `Hello,

a new password was requested for ${name} on ${serverName}. Choose it on this page:

${address}

The link works once, within ${links.linkMinutes} minutes.

If you did not request it, ignore this mail: your password has not changed.
`
