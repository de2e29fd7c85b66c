import type { Faulty } from '../faulty.ts'
import type { Bench } from '../scenarios.ts'

/** A Paymenter with the extension in it, the service, and what stands between them. */
export type PaymenterBench = Bench & {
  faulty: Faulty
  /** Connects without the proxy. */
  server: { host: string; isSecure: boolean; port: string; token: string }
}

/** The customer's sentence where the reason is none of theirs. */
export const unable = 'The control panel cannot do this now. Please try again later.'
