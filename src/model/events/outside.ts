/** The courier's connection to receivers of webhooks (implemented in src/outside/post.ts). */
export type Outside = {
  /**
   * Sends one POST and returns its outcome; never throws, and ends within its limits. Returns
   * undefined if the signal interrupted it.
   */
  post: (request: Post, signal: AbortSignal) => Promise<Outcome | undefined>
}

export type Post = {
  url: string
  /** Names and values alternate, as undici expects. */
  headers: string[]
  body: Buffer
}

export type Outcome = {
  /** The status of the answer; null without an answer. */
  status: number | null
  /** Why it failed, as a sentence; null if it succeeded. */
  error: string | null
  /** Whether the receiver timed out, which delays other deliveries. */
  isTimeout: boolean
  /** The beginning of the answer's body. */
  answer: Buffer | null
  durationMs: number
}
