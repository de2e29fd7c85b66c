/** Limits of a request to a receiver. */
export const limits = {
  /** From the beginning of an attempt until the response headers have arrived. */
  totalMs: 10_000,
  /** For the connection alone, so that a slow receiver still gets the rest. */
  connectMs: 5_000,
  /** After this time without a connection the next address of the name is tried. */
  nextAddressMs: 1_000,
  /** For the body, of which only the beginning is kept: the status decides about success. */
  bodyMs: 1_000,
  answerBytes: 2_048,
  /** The limit of Node's own server and most others. */
  headerBytes: 16_384,
  /**
   * Long enough for a burst of deliveries. Servers close idle connections after a few seconds, and
   * a request sent at that very moment is lost.
   */
  idleMs: 1_000,
}

export type Limits = typeof limits
