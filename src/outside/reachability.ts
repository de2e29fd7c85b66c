import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAddressPolicy } from './addresses.ts'

// A nearby resolver answers within a second.
const timeoutMs = 3_000

/**
 * Returns why the courier will never send to an address. A name that does not resolve now may do so
 * later and is not reported.
 *
 * @param allowed the ranges of PANEL_WEBHOOK_ALLOW
 */
export async function whyUnreachable(
  url: string,
  allowed: readonly string[],
): Promise<string | undefined> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host]
  const whyNot = (ranges: readonly string[]): string | undefined =>
    addresses.map(openAddressPolicy(ranges)).find(reason => reason !== undefined)
  const words = 'webhooks are never sent there'
  // Some addresses cannot be allowed by any setting, so no setting is named for them.
  const never = whyNot(everything)
  if (never !== undefined) return `${words}: ${never}`
  const why = whyNot(allowed)
  return why && `${words}: ${why} (see PANEL_WEBHOOK_ALLOW)`
}

const everything = ['0.0.0.0/0', '::/0']

async function addressesOf(name: string): Promise<string[]> {
  const found = lookup(name, { all: true }).catch(() => [])
  const all = await Promise.race([found, sleep(timeoutMs, [], { ref: false })])
  return all.map(({ address }) => address)
}
