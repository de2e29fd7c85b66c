import { resourceEvents } from '../operations/resource-kinds.ts'
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
  ...ofResources(),
  'backup.completed': {
    kind: 'full',
    scope: 'server',
    bytes: 73_400_320,
    duration_ms: 41_250,
  },
}

// A function, because TypeScript loses the type that each example belongs to.
function ofResources() {
  return Object.fromEntries(
    Object.entries(resourceEvents).map(([name, { example }]) => [name, example]),
  ) as { [Name in keyof typeof resourceEvents]: EventData<Name> }
}

/**
 * Returns a test event for a webhook, marked as such. Its number is 0, below those of all real
 * events, so that no receiver mistakes it for a missed one.
 */
export const testEvent = (name: EventName, about: { server: string; time: Date }): Event => ({
  name,
  body: serialise(name, { ...examples[name], test: true }, about, { sequence: 0 }),
})
