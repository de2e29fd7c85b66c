import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openJudge } from './addresses.ts'

// A resolver near by answers within a second.
const patienceMs = 3_000

/**
 * Why no courier will ever send to an address. A name that does not resolve now may do so later: of
 * it nothing is said.
 *
 * @param allowed the ranges of PANEL_WEBHOOK_ALLOW
 */
export async function whyUnreachable(
  url: string,
  allowed: readonly string[],
): Promise<string | undefined> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host]
  const why = addresses.map(openJudge(allowed)).find(reason => reason !== undefined)
  return why && `nothing will ever be sent there: ${why} (see PANEL_WEBHOOK_ALLOW)`
}

async function addressesOf(name: string): Promise<string[]> {
  const found = lookup(name, { all: true }).catch(() => [])
  const all = await Promise.race([found, sleep(patienceMs, [], { ref: false })])
  return all.map(({ address }) => address)
}
