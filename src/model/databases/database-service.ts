import type { HostAccount } from '../accounts/host-account.ts'
import type { Warning } from '../accounts/warnings.ts'
import type { Host } from '../server/host.ts'
import type { DumpSource, HostDatabase } from './host-databases.ts'

/** The operations that the worker calls on MariaDB, apart from accounts' resources. */
export type DatabaseService = {
  /**
   * Opens a MariaDB that has just started to customers, once the users of these names are locked.
   * Returns what was missing until then, if it opened it.
   */
  letIn: (listLocked: () => Promise<readonly string[]>) => Promise<Warning | undefined>
  /** Returns the socket of MariaDB for those who may use a database. */
  socket: () => string
  /**
   * Imports a dump; returns the statements that were refused. The signal ends it, with its reason.
   */
  importDump: (
    account: HostAccount,
    dump: { database: HostDatabase; source: DumpSource; signal: AbortSignal },
  ) => Promise<string[]>
  /** Writes the dump that a page offers for download; returns its size. The signal ends it. */
  exportDump: (
    account: HostAccount,
    desired: { database: HostDatabase; signal: AbortSignal },
  ) => Promise<{ bytes: number }>
  /** Rewrites a database without the space of deleted rows; returns refusals in the same way. */
  optimize: (name: string, signal: AbortSignal) => Promise<void>
  /** Returns the disk usage of each of these databases, in their order. */
  measure: (names: readonly string[]) => Promise<number[]>
}

export const databaseService = (host: Pick<Host, 'service'>): DatabaseService =>
  host.service('databases') as DatabaseService
