import { createHmac, createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { all, count, type Db, oneOrThrow, run, sql } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import type { Trouble } from '../server/concerns.ts'
import { type EventName, eventName } from './events.ts'
import { keyFor, seal, unseal } from '../server/sealing.ts'

// The addresses to which events are sent. A webhook's secret is shown once, and stored encrypted
// with the server's key, because couriers have to sign with it.

/** Control characters, and white space that a URL parser would drop silently. */
const unseen = /[\p{Cc}\s]/u

const url = z
  .string()
  .max(2_048, 'must have at most 2048 characters')
  .refine(text => !unseen.test(text) && URL.canParse(text), 'is not an address')
  .transform(text => new URL(text))
  .refine(({ protocol }) => /^https?:$/.test(protocol), 'must begin with https:// or http://')
  .refine(
    ({ username, password }) => username + password === '',
    'must not contain a user or password',
  )
  .refine(({ hash }) => hash === '', 'must not have a fragment (#…)')
  .transform(({ href }) => href)
  // The canonical spelling may be longer.
  .refine(href => href.length <= 2_048, 'must have at most 2048 characters')

/** The grammars for the command line and the pages. */
export const NewWebhook = z.strictObject({
  url,
  /** An empty list means every event. */
  events: z.array(eventName),
  secret: z
    .string()
    .min(16, 'must have at least 16 characters')
    .max(255, 'must have at most 255 characters')
    .refine(text => !/\p{Cc}/u.test(text), 'must not contain control characters'),
})

/** Returns 32 random bytes, in characters that need no quoting anywhere. */
export const newSecret = (): string => randomBytes(32).toString('hex')

/** Returns the key for the webhooks' secrets, derived from the server's. */
export const secretsKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: the secrets of webhooks', serverKey)

/**
 * Returns the X-Panel-Signature of a body for a webhook (specification, Webhook delivery).
 *
 * @throws if its secret was encrypted with another key or for another webhook
 */
export type Sign = (
  webhook: { id: string; sealed: Buffer; isNext?: boolean },
  body: Buffer,
) => string

/**
 * Returns a function that signs bodies.
 *
 * @param key decrypts the webhooks' secrets
 */
export function openSigner(key: Buffer): Sign {
  // A cache, because decrypting a secret and creating a key takes ten times as long as signing. A
  // webhook has two entries while two secrets are valid.
  const known = new Map<string, { sealed: Buffer; secret: KeyObject }>()
  return ({ id, sealed, isNext = false }, body) => {
    const name = isNext ? `${id} next` : id
    let found = known.get(name)
    if (found === undefined || !found.sealed.equals(sealed)) {
      found = { sealed, secret: createSecretKey(unseal(sealed, key, id)) }
      known.set(name, found)
    }
    return `sha256=${createHmac('sha256', found.secret).update(body).digest('hex')}`
  }
}

export async function addWebhook(
  db: Db,
  given: z.infer<typeof NewWebhook>,
  key: Buffer,
): Promise<{ id: string; secret: string }> {
  const id = randomUUID()
  await addWebhookOnce(db, id, given, key)
  return { id, secret: given.secret }
}

/** Adds a webhook under an id that the caller has chosen; returns false if that id exists. */
export async function addWebhookOnce(
  db: Db,
  id: string,
  { url, events, secret }: z.infer<typeof NewWebhook>,
  key: Buffer,
): Promise<boolean> {
  const desired = events.length === 0 ? null : [...new Set(events)]
  const added = await count(db)`
    insert into panel.webhooks (id, url, secret, events)
    values (${id}, ${url}, ${seal(Buffer.from(secret), key, id)}, ${desired})
    on conflict (id) do nothing`
  return added === 1
}

/** The number of hours for which a replaced secret stays valid. */
export const overlapHours = z
  .int('must be a whole number of hours, 0 to 24')
  .min(0, 'must be at least 0 hours')
  .max(24, 'must be at most 24 hours')

export type Replaced = { id: string; secret: string; previous_until: Date | null }

/**
 * Replaces a webhook's secret; from its next attempt on, every delivery is signed with the new
 * secret, and until the overlap ends with the previous one as well.
 *
 * @throws {PanelError} `not_found`
 */
export async function replaceSecret(
  db: Db,
  id: string,
  secret: string,
  key: Buffer,
  hours = 0,
): Promise<Replaced> {
  const sealed = seal(Buffer.from(secret), key, id)
  const { previous_until } = await oneOrThrow<Pick<Replaced, 'previous_until'>>(db, () =>
    unknownWebhook(id),
  )`
    select valid_until as previous_until
    from panel.replace_webhook_secret(${id}, ${sealed}, ${hours * 3_600})`
  return { id, secret, previous_until }
}

/** Erases replaced secrets whose overlap has ended. */
export const erasePreviousSecrets = (db: Db) => run(db)`select panel.erase_previous_secrets()`

/**
 * Makes a webhook's replaced secret invalid at once. May be repeated.
 *
 * @throws {PanelError} `not_found`
 */
export async function endOverlap(db: Db, id: string): Promise<void> {
  await getWebhook(db, id)
  await run(db)`select panel.erase_previous_secrets(${id})`
}

/**
 * Changes the address of a webhook, its events (an empty list means every event), or both.
 *
 * @throws {PanelError} `not_found`
 */
export async function changeWebhook(
  db: Db,
  id: string,
  { url, events }: { url?: string | undefined; events?: readonly EventName[] },
): Promise<Pick<Webhook, 'id' | 'url' | 'events'>> {
  const desired = events === undefined || events.length === 0 ? null : [...new Set(events)]
  return oneOrThrow<Pick<Webhook, 'id' | 'url' | 'events'>>(db, () => unknownWebhook(id))`
    update panel.webhooks
    set url = coalesce(${url}, url),
      events = case when ${events !== undefined} then ${desired}::text[] else events end
    where id = ${id} and removed_at is null
    returning id, url, events`
}

/**
 * Removes a webhook; each of its due deliveries is cancelled when its turn comes.
 *
 * @throws {PanelError} `not_found`
 */
export async function removeWebhook(db: Db, id: string): Promise<Date> {
  const { removed_at } = await oneOrThrow<{ removed_at: Date }>(db, () => unknownWebhook(id))`
    update panel.webhooks set removed_at = now() where id = ${id} and removed_at is null
    returning removed_at`
  return removed_at
}

export const unknownWebhook = (id: string): PanelError =>
  new PanelError('not_found', `Unknown webhook: ${id}`)

/** A webhook as lists show it. */
export type Webhook = {
  id: string
  url: string
  /** Null means every event. */
  events: EventName[] | null
  /** Whether its last 100 deliveries, and all of at least 3 days, have failed. */
  failing: boolean
  trouble: Trouble | null
  /** The end of the overlap in which the previous secret is valid too; null without an overlap. */
  previous_until: Date | null
  created_at: Date
}

const columns = sql`w.id, w.url, w.events, t.trouble,
  t.trouble is not distinct from 'failing' as failing,
  case when w.previous_until > now() then w.previous_until end as previous_until, w.created_at`

export const listWebhooks = (db: Db) => all<Webhook>(db)`
  select ${columns}
  from panel.webhooks w cross join panel.name_webhook_trouble(w.id) as t (trouble)
  where w.removed_at is null
  order by w.created_at, w.id`

/** @throws {PanelError} `not_found` */
export const getWebhook = (db: Db, id: string) =>
  oneOrThrow<Webhook>(db, () => unknownWebhook(id))`
    select ${columns}
    from panel.webhooks w cross join panel.name_webhook_trouble(w.id) as t (trouble)
    where w.id = ${id} and w.removed_at is null`
