import { Resolver } from 'node:dns/promises'
import { SocketAddress } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Resolved } from '../model/certificates/authority.ts'

// Checks whether a name points to this server. All of its addresses must: an authority uses any of
// them, and prefers IPv6.

export type DnsSettings = {
  /** Name servers to ask, such as 192.0.2.1 or 192.0.2.1:5353; null asks the machine's own. */
  resolver: string[] | null
  /** The server's public addresses; null takes those of its network interfaces. */
  addresses: string[] | null
}

// For each attempt; a name may be an alias chain.
const timeoutMs = 3_000
const attempts = 3

export async function resolve(name: string, by: DnsSettings): Promise<Resolved> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: attempts })
  if (by.resolver !== null) resolver.setServers(by.resolver)
  const own = new Set((by.addresses ?? ownAddresses()).map(canonical))
  try {
    const found = await Promise.all([
      addressesOf(() => resolver.resolve4(name)),
      addressesOf(() => resolver.resolve6(name)),
    ])
    const addresses = found.flat().map(canonical)
    const others = addresses.filter(address => !own.has(address))
    if (addresses.length === 0) return { addresses, why: `${name} has no address` }
    if (others.length === 0) return { addresses, why: undefined }
    return { addresses, why: `${name} points to ${others.join(', ')}, which is not this server` }
  } catch (error) {
    return { addresses: [], why: `${name} cannot be resolved: ${codeOf(error)}` }
  }
}

// The name is unknown, or has no address of this kind.
const none = ['ENODATA', 'ENOTFOUND']

async function addressesOf(ask: () => Promise<string[]>): Promise<string[]> {
  try {
    return await ask()
  } catch (error) {
    if (isNone(error)) return []
    throw error
  }
}

/** Returns whether an answer says that there are no such records. */
export const isNone = (error: unknown): boolean => none.includes(codeOf(error))

/** Returns the code of a look-up's error. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/**
 * Returns the addresses of the network interfaces, without those that no other machine can reach.
 */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap(found => found ?? [])
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .map(({ address }) => address)

/** Returns a single spelling of each address: IPv6 has many, and one for every IPv4 address. */
export function canonical(address: string): string {
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  return new SocketAddress({ address, family }).address.replace(/^::ffff:(?=[0-9.]+$)/, '')
}
