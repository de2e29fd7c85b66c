/** What a receiver may take of us (events.md, Webhook delivery). */
export const limits = {
  /** From the beginning of a try until the answer's headers are there. */
  totalMs: 10_000,
  /** For the connection alone, so that a receiver that is only slow gets the rest. */
  connectMs: 5_000,
  /** The next of a name's addresses is tried if one says nothing for so long. */
  nextAddressMs: 1_000,
  /** For the body, of which only the beginning is kept: the answer is given with its headers. */
  bodyMs: 1_000,
  answerBytes: 2_048,
  /** As Node's own server and most others allow. */
  headerBytes: 16_384,
  /**
   * A connection serves a burst of deliveries. Servers close idle ones after a few seconds, and
   * what is sent at that very moment is lost.
   */
  idleMs: 1_000,
}

export type Limits = typeof limits
