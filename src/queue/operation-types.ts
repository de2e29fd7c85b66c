import { event, type Event, type EventData, type EventName } from '../model/events/events.ts'
import type { Subject, Started, Step } from '../model/operations/operations.ts'
import type { Context } from './task.ts'

// What a task file says of its operation: what it is about, the work, and how it is undone.

export type Definition = {
  /** Whose functions write down what is wanted and what is left; null where no row changes. */
  subject: Subject | null
  work: (run: Run) => Promise<Done>
  /**
   * Makes the machine what it was; may run twice. `nothing` leaves it to the next operation, and
   * what goes only forward is tried until it is done.
   */
  undo: ((run: Run) => Promise<unknown>) | 'nothing' | 'only forward'
  /** Whether it may end half undone: its resource kind sees to the rest. */
  mayEndHalfUndone?: boolean
}

/** What the work leaves: the answer, what changes with it, and the events of it. */
export type Done = {
  status: 200 | 201
  location?: string
  answer: object
  /** For its resource kind's function; null where everything stays as it is. */
  change: object | null
  events: Announcement[]
  /** When the machine agreed; left out where no column shows it. */
  changedAt?: Date
}

/** An event whose bytes are made when it is recorded. */
export type Announcement = (about: { server: string; time: Date }) => Event

export const announce =
  <Name extends EventName>(name: Name, data: EventData<Name>): Announcement =>
  about =>
    event(name, data, about)

/** One start of one operation. */
export type Run = {
  context: Context
  definition: Definition
  started: Started
  /** Those that have ended so far. */
  steps: Step[]
}
