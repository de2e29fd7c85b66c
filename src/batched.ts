import { Mutex } from 'async-mutex'
import DataLoader from 'dataloader'

/**
 * Joins concurrent calls: inputs that arrive while one batch is in progress go together into the
 * next one, up to `maxSize` at a time. A lone call does not wait. Several batches in progress would
 * share less: half as many inputs each cost a GET a quarter more processor time.
 *
 * @param ask answers all inputs of a batch in their order; if it fails, all its callers fail
 */
export function batched<Input, Output>(
  ask: (inputs: Input[]) => Promise<(Output | Error)[]>,
  maxSize = 64,
): (input: Input) => Promise<Output> {
  const turn = new Mutex()
  let asked: Promise<unknown>
  const loader = new DataLoader<Input, Output>(inputs => (asked = ask([...inputs])), {
    // A later call must get a current answer.
    cache: false,
    maxBatchSize: maxSize,
    batchScheduleFn: dispatch =>
      void turn.runExclusive(async () => {
        dispatch()
        await asked.catch(() => undefined)
      }),
  })
  return input => loader.load(input)
}
