/** What the courier asks of the world outside (src/outside/post.ts does it). */
export type Outside = {
  /**
   * Sends one POST and tells what came of it; never throws, never takes longer than its limits.
   * Nothing came of it where it was interrupted by the signal.
   */
  post: (request: Post, signal: AbortSignal) => Promise<Outcome | undefined>
}

export type Post = {
  url: string
  /** Names and values in turn. */
  headers: string[]
  body: Buffer
}

export type Outcome = {
  /** Of the answer; null where none came. */
  status: number | null
  /** Why it failed, in words; null where it did not. */
  error: string | null
  /** Whether the receiver let the time pass, which is what costs others something. */
  isTimeout: boolean
  /** The beginning of the answer's body. */
  answer: Buffer | null
  durationMs: number
}
