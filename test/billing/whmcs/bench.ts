import type { Faulty } from '../faulty.ts'
import type { Bench } from '../scenarios.ts'

/** A WHMCS with the module in it, the service, and what stands between them. */
export type WhmcsBench = Bench & {
  faulty: Faulty
  /** Connects without the proxy. */
  server: { host: string; isSecure: boolean; port: string; token: string }
}
