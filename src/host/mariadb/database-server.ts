/** The MariaDB server that the accounts' databases are in. */
export type DatabaseServer = {
  /** Returns why this machine has none; undefined where it has one. */
  lack(): string | undefined
  /** Returns whether it has ever had databases of ours: if not, there is nothing to check. */
  isUsed(): boolean
  /**
   * Executes a statement and returns the rows.
   *
   * @throws {PanelError} `unavailable` if it does not answer
   */
  query(statement: string): Promise<Record<string, unknown>[]>
  /**
   * Returns the id of the server's start that still admits only root; undefined if it admits
   * others.
   */
  closedStart(): string | undefined
  /** Admits others, unless the server has restarted since. */
  open(start: string): void
  /** The path of its socket. */
  readonly socket: string
  /** Makes sure that it answers, and returns the user that client programs log in as. */
  client(): Promise<{ user: string }>
}
