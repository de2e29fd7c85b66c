import * as usage from '../../src/model/usage.ts'
import { isHeld } from '../../src/model/restore-hold.ts'
import type { Task } from '../../src/queue/task.ts'

// Removes sessions of PHP that are over from all homes, and lets the web server read what it has
// lost the access to.
const tendHomes: Task = async (_payload, { abortSignal }, { pool, host }) => {
  if (await isHeld(pool)) return
  await host.tendHomes(await usage.listMeasurable(pool), abortSignal)
}

export default tendHomes
