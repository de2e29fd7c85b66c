/** One round of load. */
export type LoadJob = {
  port: number
  durationMs: number
  /**
   * One connection each, which sends its requests in turn, the next when the last is answered.
   * A lane ends after an even number, so that each suspend is followed by its unsuspend.
   */
  lanes: string[][]
}

/** The result of a round: answers within its time, and their median duration. */
export type Load = {
  perSecond: number
  p50Ms: number
}

/** In a request's text this is replaced by another key each time it is sent. */
export const freshKey = '{fresh-key}'
