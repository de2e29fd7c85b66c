import { Semaphore } from 'async-mutex'
import DataLoader from 'dataloader'

/** Two statements keep the database busy while one batch travels; more share less. */
export const roundTrips = { statements: 2, inputs: 64 }

/**
 * Joins concurrent calls into one statement: inputs that arrive while statements are running go
 * together into the next one. A lone call does not wait.
 *
 * @param ask answers all inputs of a batch in their order; if it fails, all its callers fail
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
