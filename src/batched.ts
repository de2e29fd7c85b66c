import { Semaphore } from 'async-mutex'
import DataLoader from 'dataloader'

/** Two statements keep the database busy while one batch travels; more share less. */
export const roundTrips = { statements: 2, inputs: 64 }

/**
 * Answers many callers with one statement: what is asked while statements are under way is asked
 * together by the next one. A lone caller waits for nobody, and a round trip that is shared costs
 * each of its callers a fraction.
 *
 * @param ask answers all inputs of a batch, in their order; its failure is everybody's
 */
export function batched<Input, Output>(
  ask: (inputs: Input[]) => Promise<Output[]>,
  limits: { statements: number; inputs: number },
): (input: Input) => Promise<Output> {
  const statements = new Semaphore(limits.statements)
  let asked: Promise<unknown>
  const loader = new DataLoader<Input, Output>(inputs => (asked = ask([...inputs])), {
    // Whoever asks again wants to know what is so by then.
    cache: false,
    maxBatchSize: limits.inputs,
    batchScheduleFn: dispatch =>
      void statements.runExclusive(async () => {
        dispatch()
        await asked.catch(() => undefined)
      }),
  })
  return input => loader.load(input)
}
