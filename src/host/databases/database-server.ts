/** MariaDB, which the accounts' databases are in. */
export type DatabaseServer = {
  /** Why there is none on this machine; undefined where there is. */
  lack(): string | undefined
  /** Whether it has ever had anything of ours: else there is nothing to be looked for. */
  isUsed(): boolean
  /**
   * Has it execute a statement, and returns the rows.
   *
   * @throws {PanelError} `unavailable` where it does not answer
   */
  query(statement: string): Promise<Record<string, unknown>[]>
  /** The start of it that lets nobody but root in yet; undefined where others get in. */
  closedStart(): string | undefined
  /** Lets others in, unless it has started again. */
  open(start: string): void
  /** Where it listens. */
  readonly socket: string
  /** Makes it answer, and tells the administrator that the worker is, for client programs. */
  client(): Promise<{ user: string }>
}
