import { event, type Event, type EventData, type EventName } from '../model/events/events.ts'
import type { Subject, Started, Step } from '../model/operations/operations.ts'
import type { Context } from './task.ts'

// The definition of an operation in a task file: its subject, its work, and its undo.

export type Definition = {
  /** The functions that write the desired and the final state; null if no row changes. */
  subject: Subject | null
  work: (run: Run) => Promise<Done>
  /**
   * Restores the machine's earlier state; may run twice. `nothing` relies on the next operation,
   * and `only forward` is retried until it succeeds.
   */
  undo: ((run: Run) => Promise<unknown>) | 'nothing' | 'only forward'
  /** Whether it may end half undone: its resource kind takes care of the rest. */
  mayEndHalfUndone?: boolean
}

/** The result of the work: the answer, the change of the rows, and the events. */
export type Done = {
  status: 200 | 201
  location?: string
  answer: object
  /** The argument of its resource kind's function; null changes nothing. */
  change: object | null
  events: Announcement[]
  /** When the machine agreed; left out if no column stores it. */
  changedAt?: Date
}

/** An event whose bytes are generated when it is recorded. */
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
  /** The finished steps so far. */
  steps: Step[]
}
