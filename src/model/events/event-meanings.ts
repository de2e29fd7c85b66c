import { resourceEvents } from '../operations/resource-kinds.ts'
import { events, type EventName } from './events.ts'

/** When each event is raised, for the reference. */
const meanings: Record<Exclude<EventName, keyof typeof resourceEvents>, string> = {
  'account.created': 'a create has succeeded',
  'account.deleted': 'a termination has succeeded',
  'account.suspended': 'an account was active and is suspended',
  'account.unsuspended': 'an account was suspended and is active',
  'backup.completed': 'a backup was written and read back',
}

/** Lists all events: when each is raised, and the fields of its data. */
export const describeEvents = (): { name: EventName; when: string; fields: string[] }[] => {
  const all: Record<string, string> = { ...meanings }
  for (const [name, { when }] of Object.entries(resourceEvents)) all[name] = when
  return Object.entries(events).map(([name, { shape }]) => ({
    ...{ name: name as EventName, when: all[name]!, fields: Object.keys(shape) },
  }))
}
