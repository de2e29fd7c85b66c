import { poolWithin, transaction } from '../db.ts'
import type { Reply } from '../http/reply.ts'
import { claimForm, findAnswer, keepAnswer } from '../model/signing-in/form-answers.ts'
import type { PageRequest } from './page.ts'

// Runs the work of a form that is no operation in one transaction with its key: sent twice,
// reloaded, or sent again because its answer was lost, it does its work once and leads to the same
// page.

type Once = {
  key: string
  fingerprint: Buffer
  /** Checks what the work itself doesn't know; it is not part of the transaction. */
  check: (() => Promise<void>) | undefined
  act: (pool: PageRequest['pool']) => Promise<Reply>
}

/** Returns the page that it leads to; undefined if the key belongs to another form. */
export async function actOnce(request: PageRequest, once: Once): Promise<Reply | undefined> {
  const { pool, session, keys } = request
  const sent = { ...once, session }
  const find = async (): Promise<Reply | 'another' | undefined> => {
    const found = await findAnswer(pool, sent)
    return Buffer.isBuffer(found) ? toReply(keys.unseal(found)) : found
  }
  const seen = await find()
  if (seen !== undefined) return seen === 'another' ? undefined : seen
  try {
    await once.check?.()
  } catch (error) {
    // The first has just changed what the check depends on, such as the password.
    const first = await find()
    if (first === undefined || first === 'another') throw error
    return first
  }
  const done = await transaction(pool, async db => {
    if (!(await claimForm(db, sent))) return undefined
    const reply = await once.act(poolWithin(db))
    await keepAnswer(db, sent, keys.seal(toBytes(reply)))
    return reply
  })
  if (done !== undefined) return done
  const first = await find()
  return first === 'another' ? undefined : first
}

const toBytes = ({ body, ...reply }: Reply): Buffer =>
  Buffer.from(JSON.stringify({ ...reply, body: body.toString('base64') }))

function toReply(bytes: Buffer): Reply {
  const { body, ...reply } = JSON.parse(bytes.toString()) as Omit<Reply, 'body'> & { body: string }
  return { ...reply, body: Buffer.from(body, 'base64') }
}
