import { z } from 'zod'

// The catalogue of events. Each schema is the only way in: nothing that it does not name can be
// sent to a receiver or a hook script (events.md, One transaction).

const username = z.string()
const domain = z.string()

/** The events of the specification and the data of each. */
export const events = {
  'account.created': z.strictObject({
    username,
    email: z.string(),
    package: z.string(),
    domain: domain.nullable(),
  }),
  'account.deleted': z.strictObject({ username }),
  'account.suspended': z.strictObject({ username, reason: z.string().nullable() }),
  'account.unsuspended': z.strictObject({ username }),
  'site.created': z.strictObject({ username, domain }),
  'site.deleted': z.strictObject({ username, domain }),
  'ssl.issued': z.strictObject({
    username,
    domain,
    expires_at: z.iso.datetime(),
    issuer: z.string(),
  }),
  'database.created': z.strictObject({ username, database: z.string() }),
  'database.deleted': z.strictObject({ username, database: z.string() }),
  'mail.domain_created': z.strictObject({ username, domain }),
  'mail.mailbox_created': z.strictObject({ username, mailbox: z.string() }),
  'backup.completed': z.strictObject({
    kind: z.string(),
    scope: z.string(),
    bytes: z.int(),
    duration_ms: z.int(),
  }),
} as const

export type EventName = keyof typeof events

export const eventName = z.enum(Object.keys(events) as [EventName, ...EventName[]])

export type EventData<Name extends EventName> = z.infer<(typeof events)[Name]>

export type Event = { name: EventName; body: Buffer }

/**
 * Serialises an event once: every try of a webhook and every hook script gets these bytes
 * (specification, Webhook delivery).
 *
 * @param time when the change was made
 */
export function event<Name extends EventName>(
  name: Name,
  data: EventData<Name>,
  { server, time }: { server: string; time: Date },
): Event {
  const body = {
    event: name,
    time: Math.floor(time.getTime() / 1000),
    server,
    data: events[name].parse(data),
  }
  return { name, body: Buffer.from(JSON.stringify(body)) }
}
