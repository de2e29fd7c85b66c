import pRetry from 'p-retry'
import { connect, connection, isOutage } from '../../db.ts'
import { hasCode } from '../../host/tools/files.ts'

// Two minutes: PostgreSQL recovers first where the power went, and one on another machine can be
// asked once the network is up. Nothing of the panel starts meanwhile.
const timeout = { attempts: 120, everyMs: 1_000 }

// What there is no network for, or no name server yet.
const noWay = ['EAI_AGAIN', 'ENOTFOUND', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'ETIMEDOUT']

/** Whether it is the database that is not there, which may come back by itself. */
export const isAway = (error: unknown): boolean => isOutage(error) || hasCode(error, ...noWay)

/**
 * Waits until a database lets the panel's owner in.
 *
 * @throws what keeps it from that, where waiting is no help or has not helped
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
