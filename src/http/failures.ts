import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

// Counts failed authentications of each address, in memory: a guesser is slowed per process, and a
// valid token is never affected by other callers at its address.

/** After this many in a minute, further failures of the address are answered with 429. */
const maxFailures = 60
const windowMs = 60_000
// Limits the memory that an attacker with many addresses can take; the oldest are forgotten.
const maxAddresses = 10_000

export type Failures = {
  /** Counts a failure; returns whether the address is over the limit. */
  count: (address: string, nowMs?: number) => boolean
}

export function countFailures(): Failures {
  const windows = new Map<string, { sinceMs: number; failures: number }>()
  return {
    count: (address, nowMs = performance.now()) => {
      const network = networkOf(address)
      const known = windows.get(network)
      const isOpen = known !== undefined && nowMs - known.sinceMs < windowMs
      const window = isOpen ? known : { sinceMs: nowMs, failures: 0 }
      window.failures++
      // Inserted again, so that the map's order is the order of the last failures.
      windows.delete(network)
      windows.set(network, window)
      if (windows.size > maxAddresses) windows.delete(windows.keys().next().value!)
      return window.failures > maxFailures
    },
  }
}

/** Returns the network of one subscriber: an IPv4 address, or the /64 of an IPv6 one (RFC 6177). */
export const networkOf = (address: string): string =>
  isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address
