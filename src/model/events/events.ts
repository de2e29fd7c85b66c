import { z } from 'zod'
import { type Db, oneFirst } from '../../db.ts'
import { name, text } from './event-fields.ts'
import type { EventKind } from '../operations/resource-kind.ts'
import { resourceEvents } from '../operations/resource-kinds.ts'

// The catalogue of events. Each schema is an allow-list: only the fields that it names can be sent
// to a receiver or a hook script.

// Left out if one of root's scripts reports an event (`panel ctl emit`).
const reference = name.nullable().default(null)

/** The events of the specification and the data of each. */
export const events = {
  'account.created': z.strictObject({
    username: name,
    email: name,
    package: name,
    domain: name.nullable(),
    reference,
  }),
  'account.deleted': z.strictObject({ username: name, reference }),
  'account.suspended': z.strictObject({ username: name, reason: text.nullable(), reference }),
  'account.unsuspended': z.strictObject({ username: name, reference }),
  ...dataOf(resourceEvents),
  'backup.completed': z.strictObject({
    kind: name,
    scope: name,
    bytes: z.int().nonnegative('must not be negative'),
    duration_ms: z.int().nonnegative('must not be negative'),
  }),
} as const

function dataOf<Kinds extends Record<string, EventKind>>(kinds: Kinds) {
  return Object.fromEntries(Object.entries(kinds).map(([name, { data }]) => [name, data])) as {
    [Name in keyof Kinds]: Kinds[Name]['data']
  }
}

export type EventName = keyof typeof events

export const eventName = z.enum(
  Object.keys(events) as [EventName, ...EventName[]],
  `must be one of ${Object.keys(events).join(', ')}`,
)

/** Returns the schema of an event's body, as receivers and hook scripts get it. */
export const bodyOf = <Name extends EventName>(name: Name) =>
  z.strictObject({
    event: z.literal(name),
    time: z.int().describe('When it happened, as a Unix timestamp in seconds'),
    server: z.string().describe('The host name of the panel server'),
    data: events[name],
    sequence: z
      .int()
      .nonnegative()
      .describe('Its number on this server, 1 more than that of the previous event; 0 for a test'),
  })

/** The schemas of all event bodies. */
export const eventBodies = eventName.options.map(bodyOf)

export type EventData<Name extends EventName> = z.input<(typeof events)[Name]>

export type Event = { name: EventName; body: Buffer }

/**
 * Serialises an event once: every attempt of a webhook and every hook script gets these bytes,
 * followed by the event's number as the last field, which is assigned after the commit
 * (specification, Webhook delivery; sql/functions/events/event_body.sql).
 *
 * @param time when the change was made
 */
export function event<Name extends EventName>(
  name: Name,
  data: EventData<Name>,
  { server, time }: { server: string; time: Date },
): Event {
  return { name, body: serialise(name, events[name].parse(data), { server, time }) }
}

/** Returns the bytes of an event whose data is known to be valid. */
export function serialise(
  name: EventName,
  data: object,
  { server, time }: { server: string; time: Date },
  last: { sequence?: 0 } = {},
) {
  const body = { event: name, time: Math.floor(time.getTime() / 1000), server, data, ...last }
  return Buffer.from(JSON.stringify(body))
}

/**
 * Raises an event without an operation, for root's own scripts; returns its id. It is ordered among
 * the events of the account that its data names, if any.
 */
export const emit = (db: Db, { name, body }: Event) => oneFirst<string>(db)`
  select panel.emit(${name}, (
    select a.id from panel.accounts a
    where a.username = convert_from(${body}, 'utf8')::jsonb -> 'data' ->> 'username'
      and a.state <> 'terminated'), null, ${body})`
