import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type {
  Counted,
  MailQueue,
  MailState,
  QueuedMessage,
  SentByAccount,
} from '../../model/server/mail-queue.ts'
import type { Machine } from '../contract.ts'
import { mailState } from '../mail/paths.ts'
import { isThere, readFile } from '../tools/files.ts'
import { ownedFile } from './paths.ts'

// Mail that waits in Postfix's queue, and the counts of recipients of the last hour.

const maxCounted = 10
const maxMessages = 100
const maxRecipients = 5
const maxText = 300
// Long enough for 100,000 messages.
const limitMs = 60_000

// A line of `postqueue -j`.
const Waiting = z.object({
  queue_name: z.string(),
  queue_id: z.string(),
  arrival_time: z.number(),
  message_size: z.number(),
  sender: z.string(),
  recipients: z.array(z.object({ address: z.string(), delay_reason: z.string().optional() })),
})
export type Waiting = z.infer<typeof Waiting>

/**
 * Passes on each message that waits in Postfix's queue. Root can read it even if Postfix is down.
 *
 * @throws {CommandError} if Postfix does not list its queue
 */
export async function readWaiting(
  { run }: Pick<Machine, 'run'>,
  onMessage: (message: Waiting) => void,
): Promise<void> {
  const onLine = (line: string) => {
    const { data } = Waiting.safeParse(parseJson(line))
    if (data !== undefined) onMessage(data)
  }
  await run('postqueue', ['-j'], { onLine, outputLimit: 0, timeoutMs: limitMs })
}

/**
 * Returns the waiting mail, and the accounts that have sent; undefined on a server whose mail is
 * not the panel's.
 *
 * @throws {CommandError} if Postfix does not list its queue
 */
export async function readMail(machine: Machine): Promise<MailState | undefined> {
  if (!isThere(machine.path(ownedFile))) return undefined
  return { queue: await readQueue(machine), sent: readSent(machine) }
}

async function readQueue(machine: Machine): Promise<MailQueue> {
  const [senders, reasons] = [new Map<string, number>(), new Map<string, number>()]
  const count = (all: Map<string, number>, name: string) => all.set(name, (all.get(name) ?? 0) + 1)
  let [total, bytes] = [0, 0]
  let messages: QueuedMessage[] = []
  const keepOldest = () => {
    messages.sort((one, other) => one.arrived_at.localeCompare(other.arrived_at))
    messages = messages.slice(0, maxMessages)
  }
  const add = (waiting: Waiting) => {
    const message = toMessage(waiting)
    total++
    bytes += message.bytes
    count(senders, message.sender)
    if (message.reason !== null) count(reasons, message.reason)
    if (messages.push(message) >= 10 * maxMessages) keepOldest()
  }
  await readWaiting(machine, add)
  keepOldest()
  return { total, bytes, senders: topOf(senders), reasons: topOf(reasons), messages }
}

const topOf = (all: Map<string, number>): Counted[] =>
  [...all]
    .map(([name, messages]) => ({ name, messages }))
    .sort((one, other) => other.messages - one.messages)
    .slice(0, maxCounted)

function toMessage(data: Waiting): QueuedMessage {
  const { recipients } = data
  const reason = recipients.find(one => one.delay_reason !== undefined)?.delay_reason
  return {
    id: data.queue_id,
    queue: data.queue_name,
    arrived_at: new Date(data.arrival_time * 1_000).toISOString(),
    bytes: data.message_size,
    sender: data.sender.slice(0, maxText),
    recipients: recipients.slice(0, maxRecipients).map(one => one.address.slice(0, maxText)),
    recipient_count: recipients.length,
    reason: reason?.slice(0, maxText) ?? null,
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const minuteMs = 60_000

// Files `UID` with lines `MINUTE RECIPIENTS` (../mail/count.pl).
function readSent(machine: Machine): SentByAccount[] {
  const folder = machine.path(mailState)
  if (!existsSync(folder)) return []
  const since = Math.trunc(Date.now() / minuteMs) - 60
  return readdirSync(folder)
    .filter(name => /^[0-9]+$/.test(name))
    .map(name => {
      const lines = (readFile(join(folder, name)) ?? '').split('\n')
      const counts = lines.map(line => line.split(' ').map(Number))
      const recent = counts.filter(([minute = 0]) => minute > since)
      return {
        uid: Number(name),
        recipients: recent.reduce((sum, [, more = 0]) => sum + more, 0),
      }
    })
    .filter(({ recipients }) => recipients > 0)
    .sort((one, other) => other.recipients - one.recipients)
    .slice(0, maxMessages)
}
