import { z } from 'zod'
import { write } from '../operations/writes.ts'

// Changes of the mail that waits on the server, by administrators.

/** The maximum number of messages that one operation changes. */
const maxMessages = 100

/** The id of a message in Postfix's queue, short or long (postconf(5), enable_long_queue_ids). */
export const queueId = z
  .string()
  .regex(/^[0-9A-Za-z]{6,40}$/, 'must be the ID of a message, as panel mail queue shows it')

/** Messages to change. */
export const QueuedMessages = z.object({
  messages: z.array(queueId).min(1).max(maxMessages, `must be at most ${maxMessages} messages`),
})

type Messages = z.output<typeof QueuedMessages>

const params = async (_: unknown, { desired: { messages } }: { desired: Messages }) => ({
  accountId: null,
  params: { messages: [...new Set(messages)] },
})

/** Has Postfix try messages again now; those on hold go on. */
export const retryQueued = write<Messages>({ name: 'server/retry-mail', decide: params })

/** Deletes messages, without a notice to sender or recipient. */
export const deleteQueued = write<Messages>({ name: 'server/delete-mail', decide: params })

/** The part of the machine that the worker uses for them. */
export type MailQueueHost = {
  /** Has these messages attempted again; returns those of them that waited. May run twice. */
  retryQueued: (ids: readonly string[]) => Promise<string[]>
  /** Deletes these messages; returns those of them that waited. May run twice. */
  deleteQueued: (ids: readonly string[]) => Promise<string[]>
}
