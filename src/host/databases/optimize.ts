import type { Machine } from '../contract.ts'
import { run } from '../tools/run.ts'

// Some gigabytes; an operation has to end some time.
const limitMs = 240_000

/** Has the tables of a database written anew, without the room of what was deleted. */
export async function optimizeDatabase({ databases }: Machine, name: string): Promise<void> {
  const { user } = await databases.client()
  const options = ['--no-defaults', `--socket=${databases.socket}`, `--user=${user}`]
  // It does not rely on what the tables are called: they are the customer's own.
  await run('mariadb-check', [...options, '--optimize', '--silent', '--', name], {
    timeoutMs: limitMs,
  })
}
