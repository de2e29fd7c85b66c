import type { Test } from 'tap'
import type { Panel } from '../../panel.ts'
import type { Faulty } from '../faulty.ts'
import type { Php } from '../php.ts'
import { newOrder } from '../scenarios.ts'

/** A Blesta with the module in it, the service, and what stands between them. */
export type Bench = {
  panel: Panel
  php: Php
  faulty: Faulty
  root: string
  /** How to connect without what stands between. */
  server: { host: string; isSecure: boolean; port: string; token: string }
  /** The token of somebody who sells a part of it. */
  resellersToken: string
}

/** An order with its account. */
export async function made(t: Test, { php }: Bench, order = newOrder()) {
  const outcome = await php.run('create', order)
  t.match(outcome.value, { ok: true }, 'create', outcome)
  return { ...order, username: outcome.value.username as string }
}
