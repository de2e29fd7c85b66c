import { Mutex } from 'async-mutex'
import DataLoader from 'dataloader'

/**
 * Joins concurrent calls: what is asked while one batch is in progress goes together into the next
 * one, `most` inputs at a time. A lone call does not wait. More than one batch in progress would
 * share less: half as many inputs each cost a GET a quarter more of the processor.
 *
 * @param ask answers all inputs of a batch in their order; if it fails, all its callers fail
 */
export function batched<Input, Output>(
  ask: (inputs: Input[]) => Promise<(Output | Error)[]>,
  most = 64,
): (input: Input) => Promise<Output> {
  const turn = new Mutex()
  let asked: Promise<unknown>
  const loader = new DataLoader<Input, Output>(inputs => (asked = ask([...inputs])), {
    // Whoever asks again wants to know what is so by then.
    cache: false,
    maxBatchSize: most,
    batchScheduleFn: dispatch =>
      void turn.runExclusive(async () => {
        dispatch()
        await asked.catch(() => undefined)
      }),
  })
  return input => loader.load(input)
}
