import pRetry from 'p-retry'
import { connect, connection, isOutage } from '../../db.ts'
import { hasCode } from '../../host/tools/files.ts'

// Two minutes: PostgreSQL first recovers after a power cut, and an external one can be reached once
// the network is up. Nothing of the panel starts meanwhile.
const timeout = { attempts: 120, everyMs: 1_000 }

// Codes for a missing network or name server.
const unreachable = [
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
]

/** Returns whether the database itself is unavailable, which may be temporary. */
export const isAway = (error: unknown): boolean => isOutage(error) || hasCode(error, ...unreachable)

/**
 * Waits until a database accepts the panel's owner.
 *
 * @throws the obstacle, if waiting cannot help or did not help
 */
export async function untilDatabaseAnswers(
  url: string,
  { attempts, everyMs } = timeout,
): Promise<void> {
  const ask = async () => {
    await using client = await connect(connection(url, 'panel_owner', null))
    await client.query('select')
  }
  await pRetry(ask, {
    ...{ retries: attempts, factor: 1, minTimeout: everyMs },
    shouldRetry: ({ error }) => isAway(error),
  })
}
