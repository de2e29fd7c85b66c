import type { Test } from 'tap'
import type { Panel } from '../../support/panel.ts'
import type { Faulty } from '../faulty.ts'
import type { Php } from '../php.ts'
import { newOrder } from '../scenarios.ts'

/** A Blesta with the module installed, the service, and the faulty proxy between them. */
export type Bench = {
  panel: Panel
  php: Php
  faulty: Faulty
  root: string
  /** Connects without the proxy. */
  server: { host: string; isSecure: boolean; port: string; token: string }
  /** The token of a reseller. */
  sellersToken: string
}

/** An order with its account. */
export async function made(t: Test, { php }: Bench, order = newOrder()) {
  const outcome = await php.run('create', order)
  t.match(outcome.value, { ok: true }, 'create', outcome)
  return { ...order, username: outcome.value.username as string }
}
