import type { Machine } from '../contract.ts'
import { PanelError } from '../../errors.ts'
import { endConnected } from './drop.ts'
import { run } from '../tools/run.ts'
import { mariaDb } from './mariadb.ts'

// Some gigabytes; an operation has to end some time.
const limitMs = 240_000

/** Has the tables of a database written again, without the room of what was deleted. */
export async function optimizeDatabase(
  machine: Machine,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const databases = machine.part(mariaDb)
  const { user } = await databases.client()
  const options = ['--no-defaults', `--socket=${databases.socket}`, `--user=${user}`]
  // It does not rely on what the tables are called: they are the customer's own.
  const words = [...options, '--optimize', '--silent', '--', name]
  try {
    await run('mariadb-check', words, { timeoutMs: limitMs, signal })
  } catch (error) {
    // The server goes on with what a client that is gone has asked for.
    await endConnected(databases, name)
    if (signal.aborted) throw new PanelError('invalid', `It was stopped: ${signal.reason}`)
    throw error
  }
}
