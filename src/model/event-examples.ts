import { serialise, type Event, type EventData, type EventName } from './events.ts'

/** Example data of each event, for the reference and for test events. */
export const examples: { [Name in EventName]: EventData<Name> } = {
  'account.created': {
    username: 'alice',
    email: 'alice@example.com',
    package: 'starter',
    domain: 'alice.example',
    reference: 'order-1041',
  },
  'account.deleted': { username: 'alice', reference: 'order-1041' },
  'account.suspended': {
    username: 'alice',
    reason: 'Invoice 4711 is overdue',
    reference: 'order-1041',
  },
  'account.unsuspended': { username: 'alice', reference: 'order-1041' },
  'site.created': { username: 'alice', domain: 'alice.example' },
  'site.deleted': { username: 'alice', domain: 'alice.example' },
  'ssl.issued': {
    username: 'alice',
    domain: 'alice.example',
    expires_at: '2030-01-31T12:00:00Z',
    issuer: "Let's Encrypt",
  },
  'database.created': { username: 'alice', database: 'alice_shop' },
  'database.deleted': { username: 'alice', database: 'alice_shop' },
  'mail.domain_created': { username: 'alice', domain: 'alice.example' },
  'mail.mailbox_created': { username: 'alice', mailbox: 'info@alice.example' },
  'backup.completed': {
    kind: 'full',
    scope: 'server',
    bytes: 73_400_320,
    duration_ms: 41_250,
  },
}

/**
 * An event that tries a webhook out: it says so itself, and nothing has happened. Its number is 0,
 * below those of all events, so that no receiver takes it for one that it has missed.
 */
export const testEvent = (name: EventName, about: { server: string; time: Date }): Event => ({
  name,
  body: serialise(name, { ...examples[name], test: true }, about, { sequence: 0 }),
})
