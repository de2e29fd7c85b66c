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

/** What a round was: answers within its time, and how long the middle one took. */
export type Load = {
  perSecond: number
  p50Ms: number
}

/** In a request's text this becomes another value each time it is sent. */
export const freshKey = '{fresh-key}'
