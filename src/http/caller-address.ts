import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv4, type Socket } from 'node:net'
import { address } from '../model/grammar/cidr.ts'

// The caller's address. X-Forwarded-For is trusted only from configured proxies, and only as far
// back as its hops are such proxies; if that leads to nothing readable, the address is unknown, and
// matches no allowed range.

/** The proxies whose `X-Forwarded-For` is trusted. */
export type Proxies = {
  /** Whether all calls come over a Unix socket, which only the panel's own nginx can reach. */
  isSocket: boolean
  /** Ranges of addresses, in the spelling of `cidr`. */
  trusted: readonly string[]
}

/** Returns the address of a caller; undefined if it is unknown. */
export type AddressOf = (message: IncomingMessage) => string | undefined

export function addressBehind({ isSocket, trusted }: Proxies): AddressOf {
  const isTrusted = isWithin(trusted)
  const isProxy = openProxies({ isSocket, trusted })
  return message => {
    let caller = peerOf(message.socket)
    if (!isProxy(message.socket)) return caller
    for (const hop of hopsOf(message)) {
      // Each hop was named by the one before it, which is trusted.
      caller = address.safeParse(hop).data
      if (caller === undefined || !isTrusted(caller)) return caller
    }
    return caller
  }
}

/** Returns whether a connection is from a trusted proxy. */
export function openProxies({ isSocket, trusted }: Proxies): (socket: Socket) => boolean {
  const isTrusted = isWithin(trusted)
  return socket => {
    const peer = peerOf(socket)
    return isSocket || (peer !== undefined && isTrusted(peer))
  }
}

function isWithin(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), familyOf(network))
  }
  return ranges.length === 0 ? () => false : address => list.check(address, familyOf(address))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6')

/**
 * Returns the peer's address, IPv4 over an IPv6 socket as IPv4. A connection that has ended has no
 * address any more.
 */
export const peerOf = ({ remoteAddress }: Socket): string | undefined =>
  remoteAddress?.replace(/^::ffff:(?=[0-9.]+$)/, '').replace(/%.*$/, '')

// Returns the hops from the nearest to the farthest: each proxy appends its own peer.
function hopsOf({ headersDistinct }: IncomingMessage): string[] {
  const headers = headersDistinct['x-forwarded-for'] ?? []
  return headers
    .flatMap(header => header.split(','))
    .map(hop => hop.trim())
    .reverse()
}
