import type { Startable } from './remedies.ts'

/** The part of the machine that the worker uses for remedies. */
export type RemedyHost = {
  /**
   * Starts a service; may run twice.
   *
   * @throws {PanelError} `invalid`, if the machine has no manager of services or no such service
   * @throws if it does not start
   */
  startService: (service: Startable) => Promise<void>
  /**
   * Writes a backup of the server to the usual folder; returns its path.
   *
   * @throws if it cannot be written or read back
   */
  backUp: (passphrase: string) => Promise<string>
  /** Fixes what the checks can fix safely, and returns what was done. */
  repair: () => Promise<string[]>
}
