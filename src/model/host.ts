import type { HostAccount } from './host-account.ts'

/** Runs one named step; who passes it may time, log or refuse it. */
export type Observe = (step: string, run: () => Promise<void>) => Promise<void>

/** What the worker asks of the machine (src/host/apply.ts does it). */
export type Host = {
  /**
   * Makes the machine agree with what is wanted of the account; may run twice. Tells what the
   * server cannot enforce for it, as sentences.
   */
  apply: (account: HostAccount, observe: Observe) => Promise<string[]>
  /** Undoes a create: leaves nothing of the account, however far it came. */
  erase: (account: HostAccount, observe: Observe) => Promise<void>
}
