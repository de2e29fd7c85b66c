import type { DatabaseServer } from '../mariadb/database-server.ts'
import { StatementError } from '../mariadb/client.ts'
import { dropDatabase as drop, killConnection, readConnected, rollBack } from './statements.ts'

/**
 * Drops a database, whatever is in progress in it: connections are ended, and awaited for a few
 * seconds.
 */
export async function dropDatabase(server: Queries, name: string): Promise<void> {
  await endConnected(server, name)
  try {
    await server.query(drop(name))
  } catch (error) {
    if (!hasErrno(error, lockWaitTimeout)) throw error
    await forgetPrepared(server)
    await server.query(drop(name))
  }
}

/** Ends all connections that have a database selected, in the middle of a statement too. */
export async function endConnected(server: Queries, name: string): Promise<void> {
  for (const { id } of await server.query(readConnected(name))) {
    await server.query(killConnection(Number(id))).catch(error => {
      // It has ended by itself.
      if (!hasErrno(error, noSuchThread)) throw error
    })
  }
}

// A prepared transaction keeps its locks until a client ends it, even if its connection is gone;
// MariaDB does not report which tables it holds. So roll back all whose connection is gone, which
// every customer could do anyway.
async function forgetPrepared(server: Queries): Promise<void> {
  for (const { data } of await server.query(`XA RECOVER FORMAT = 'SQL'`)) {
    const xid = String(data)
    if (!/^X'[0-9A-F]*'(,X'[0-9A-F]*')?(,\d+)?$/i.test(xid)) continue
    await server.query(rollBack(xid)).catch(error => {
      if (!hasErrno(error, unknownXid)) throw error
    })
  }
}

type Queries = Pick<DatabaseServer, 'query'>

const lockWaitTimeout = 1205
const noSuchThread = 1094
// Also returned for a transaction whose connection still exists.
const unknownXid = 1397

const hasErrno = (error: unknown, errno: number): boolean =>
  error instanceof StatementError && error.errno === errno
