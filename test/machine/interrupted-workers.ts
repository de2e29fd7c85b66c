import type { Test } from 'tap'
import { openMachine } from '../../src/host/machine.ts'
import { startProcess, type Child } from '../support/processes.ts'
import { workerOf } from '../support/worker.ts'

// Workers that end before a statement that they send to MariaDB, and those who come after them.

export function interruptedWorkers(databaseUrl: string) {
  const next = () => workerOf(databaseUrl, openMachine({ kind: 'linux', root: '/' }))
  const killed = (t: Test, number: number) =>
    startProcess(
      t,
      'test/machine/fixtures/database-worker.ts',
      [databaseUrl, String(number), 'before'],
      { ready: /worker ready/ },
    )
  return {
    next,
    /**
     * Has a worker that ends before that statement execute the request, and the next one end it;
     * returns the answer, and whether the first has ended.
     */
    async interrupted<T>(t: Test, number: number, ask: (worker: Child) => Promise<T>) {
      const worker = await killed(t, number)
      const asked = ask(worker)
      const isKilled = await Promise.race([worker.exited.then(() => true), asked.then(() => false)])
      if (!isKilled) await worker.kill()
      const successor = await next()
      const answer = await asked
      return { answer, isKilled, successor }
    },
  }
}

/** Each statement in turn, or each so many, until there is none any more. */
export async function throughout(
  t: Test,
  each: (t: Test, number: number) => Promise<boolean>,
  step = 1,
): Promise<void> {
  for (let number = 1; ; number += step) {
    if (!(await each(t, number))) {
      t.ok(number > 4, `there are ${number - 1} statements`)
      return
    }
  }
}
