import type { Machine } from '../contract.ts'
import { PanelError } from '../../errors.ts'
import { endConnected } from './drop.ts'
import { run } from '../tools/run.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

// Enough for some gigabytes; an operation has to end some time.
const limitMs = 240_000

/** Rewrites a database's tables, without the space of deleted rows. */
export async function optimizeDatabase(
  machine: Machine,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const databases = machine.part(mariaDb)
  const { user } = await databases.client()
  const options = ['--no-defaults', `--socket=${databases.socket}`, `--user=${user}`]
  // Passes no table names: the customer chooses those.
  const words = [...options, '--optimize', '--silent', '--', name]
  try {
    await run('mariadb-check', words, { timeoutMs: limitMs, signal })
  } catch (error) {
    // The server continues a statement whose client is gone.
    await endConnected(databases, name)
    if (signal.aborted) throw new PanelError('invalid', `It was stopped: ${signal.reason}`)
    throw error
  }
}
