import { batched } from '../batched.ts'
import type { Pool } from '../db.ts'
import * as deliveries from './deliveries.ts'
import { retryOrExit } from '../queue/retry-or-exit.ts'
import type { Context } from '../queue/task.ts'

// Statements of deliveries are batched, because a courier has many deliveries in flight.

export type CourierDeliveries = ReturnType<typeof openDeliveries>

export function openDeliveries(pool: Pool, giveUp: Context['giveUp']) {
  const together = <Input, Output>(
    ask: (db: Pool, inputs: Input[]) => Promise<Output[]>,
    idOf: (input: Input) => string,
  ) => {
    const one = batched((inputs: Input[]) => ask(pool, inputs))
    return (input: Input) => retryOrExit({ giveUp }, idOf(input), () => one(input))
  }
  const takeBlocked = batched((takings: deliveries.Taking[]) =>
    deliveries.takeBlocked(pool, takings),
  )
  return {
    findDue: together(deliveries.findDue, ({ id }) => id),
    suspend: together(deliveries.suspend, ({ id }) => id),
    // A repeat would take other deliveries, and orphan the first ones.
    takeBlocked: (taking: deliveries.Taking) =>
      takeBlocked(taking).catch((error: unknown) =>
        giveUp('the outcome of taking deliveries is unknown', error),
      ),
    cancel: together(deliveries.cancel, ({ id }) => id),
    record: together(deliveries.record, ({ due }) => due.id),
  }
}
