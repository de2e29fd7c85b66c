import { z } from 'zod'
import { type Db, one, run } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import type { Caller } from '../signing-in/callers.ts'
import { eventBodies } from './events.ts'
import { leftOut, queryNumber } from '../grammar/grammar.ts'
import { answer, type Decidable, write } from '../operations/writes.ts'

// The events of this server in order, each with its number, for receivers that missed some.

/** Numbers every committed event; events that have a number keep it. */
export const numberEvents = (db: Db) => run(db, 'number_events')`select panel.number_events()`

const [first, ...others] = eventBodies

/** An event as it is sent. */
export const Event = z.discriminatedUnion('event', [first!, ...others])

export const EventFilter = z.strictObject({
  after: queryNumber(0, Number.MAX_SAFE_INTEGER, 0).describe(
    'The number after which to start: `next` of the previous answer, or the `sequence` of an event',
  ),
  limit: queryNumber(1, 1_000, 100).describe('The maximum number to return'),
})

const next = z.int().describe('The value of `after` for the next call')
const has_more = z.boolean().describe('Whether more events can be requested at once')
const complete = z
  .boolean()
  .describe('False if some of the requested events are no longer kept; they are kept for 30 days')

export const EventPage = z.strictObject({ events: z.array(Event), next, has_more, complete })

/** Events as they were sent; a later release may have added to their schema. */
type Page = Omit<z.infer<typeof EventPage>, 'events'> & { events: unknown[] }

type PageRow = Record<'next' | 'last', string> & {
  bodies: Buffer[]
  has_more: boolean
  complete: boolean
}

/**
 * Returns a page of the events after a number: all of them for an administrator, for a reseller
 * those of accounts that were its own when they happened.
 *
 * @throws {PanelError} `invalid` if no event has had that number yet
 */
export async function listEvents(
  db: Db,
  { role, sellerId }: Pick<Caller, 'role' | 'sellerId'>,
  { after, limit }: z.infer<typeof EventFilter>,
): Promise<Page> {
  const { bodies, last, ...page } = await one<PageRow>(db, 'list_events')`
    select bodies, next, has_more, complete, last
    from panel.list_events(
      ${after}, ${limit}, ${role === 'administrator' ? null : sellerId}::bigint)`
  requireGiven(after, last)
  return {
    events: bodies.map(body => JSON.parse(`${body}`)),
    next: Number(page.next),
    has_more: page.has_more,
    complete: page.complete,
  }
}

function requireGiven(after: number, last: string): void {
  if (after <= Number(last)) return
  throw new PanelError('invalid', `after must be at most ${last}, the number of the last event`)
}

/** The maximum number of deliveries per request, unless a single event has more webhooks. */
const deliveriesAtOnce = 1_000

/** Selects the events to send again. */
export const Redelivery = z.strictObject({
  after: z.int().min(0).describe('The number after which to start, as in `GET /events`'),
  until: leftOut(z.int().min(1)).describe('The number of the last event; left out, all are sent'),
  webhook: leftOut(z.uuid()).describe('Only to this webhook; left out, to all'),
})

type Redelivery = z.infer<typeof Redelivery>

export const Redelivered = z.strictObject({
  deliveries: z.int().describe('How many deliveries were made'),
  next,
  has_more,
  complete,
})

type RedeliveredRow = Record<'next' | 'last', string | null> & {
  deliveries: number
  has_more: boolean
  complete: boolean
  due: number
}

/**
 * Sends events again, each to the webhooks that are registered for it: the same bodies, as new
 * deliveries. A delivery that is already due is not repeated.
 */
export const redeliverEvents = write({
  name: 'event/redeliver',
  subject: ({ after, until }: Redelivery) => `after ${after}${until ? `, until ${until}` : ''}`,
  async decide(db, { desired: { after, until, webhook } }: Decidable<Redelivery>) {
    if (until != null && until <= after) {
      throw new PanelError('invalid', 'until must be above after')
    }
    const made = await one<RedeliveredRow>(db, 'redeliver_events')`
      select deliveries, next, has_more, complete, last, due
      from panel.redeliver_events(${after}, ${until}, ${webhook}, ${deliveriesAtOnce})`
    requireGiven(after, made.last!)
    if (made.due > deliveriesAtOnce) {
      const words = `More than ${deliveriesAtOnce} deliveries are due; repeat when they are sent`
      throw new PanelError('rate_limited', words)
    }
    if (made.next === null) {
      throw new PanelError('invalid', `webhook: no webhook ${webhook} exists`)
    }
    const { deliveries, has_more, complete } = made
    const redelivered = { deliveries, next: Number(made.next), has_more, complete }
    return { accountId: null, answer: answer(200, redelivered) }
  },
})
