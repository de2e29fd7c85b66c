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
  let waiting: {
    input: Input
    resolve: (output: Output) => void
    reject: (error: unknown) => void
  }[] = []
  let underWay = 0

  const askNext = async () => {
    while (waiting.length > 0 && underWay < limits.statements) {
      const batch = waiting.slice(0, limits.inputs)
      waiting = waiting.slice(limits.inputs)
      underWay++
      try {
        const outputs = await ask(batch.map(({ input }) => input))
        for (const [index, { resolve }] of batch.entries()) resolve(outputs[index]!)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      } finally {
        underWay--
      }
    }
  }

  return input =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      void askNext()
    })
}
