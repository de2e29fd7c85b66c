import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { PanelError } from '../errors.ts'

// Node starts and connects in about half a second; the rest is for a machine that is busy.
const timeoutMs = 45_000
const pollMs = 20
const answerMs = 2_000

/**
 * Returns once `GET /readyz` answers 200.
 *
 * @throws {PanelError} timed_out
 */
export async function untilReady(config: Config, signal: AbortSignal): Promise<void> {
  const address = readyAddress(config.listen)
  const end = Date.now() + timeoutMs
  while (Date.now() < end) {
    if (await isReady(address)) return
    await sleep(pollMs, undefined, { signal })
  }
  throw new PanelError(
    'timed_out',
    `The panel was not ready within ${timeoutMs / 1000} s; its logs are in ${config.stateDir}/log`,
  )
}

/**
 * Returns the address at which this machine reaches the panel, also if it listens on every address.
 */
export function readyAddress({ host, port }: Config['listen']): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/readyz`
}

async function isReady(address: string): Promise<boolean> {
  try {
    const response = await fetch(address, {
      signal: AbortSignal.timeout(answerMs),
      headers: { connection: 'close' },
    })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    // Nothing listens yet.
    return false
  }
}
