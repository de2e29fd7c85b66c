import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { parseAddress, type Address } from '../model/grammar/cidr.ts'

// Decides which addresses the courier may connect to. A webhook's URL comes from a browser, and the
// addresses of its name from a foreign DNS server: neither may lead into the networks behind this
// server.

/** Returns why an address may not be connected to; undefined if it may. */
export type AddressPolicy = (address: string) => string | undefined

/** An address that must not be connected to; the message names it and the reason. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'
}

// Never allowed, whatever PANEL_WEBHOOK_ALLOW contains: link-local addresses, and those at which
// clouds give credentials to their machines.
const never = [
  ...['169.254.0.0/16', 'fe80::/10'],
  // Alibaba, Azure, Oracle.
  ...['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  // AWS, Google, Scaleway.
  ...['fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:42::42/128'],
].map(range => ipaddr.parseCIDR(range))

// The only public range of IPv6 (RFC 4291, 2.5.4; IANA's registry).
const global = ipaddr.parseCIDR('2000::/3')

/**
 * Opens the policy.
 *
 * @param allowed ranges that are allowed although they are not public
 */
export function openAddressPolicy(allowed: readonly string[], own = ownAddresses): AddressPolicy {
  const opened = allowed.map(range => ipaddr.parseCIDR(range))
  return text => {
    // Without the zone.
    const address = parseAddress(text.replace(/%.*$/, ''))
    const faces = [address, ...inside(address)]
    if (faces.some(face => isIn(face, never)))
      return `${text} is a link-local or cloud metadata address`
    // An IPv6 form of an IPv4 address leads to that IPv4 address.
    const subject = translated(address) ?? address
    if (isIn(subject, opened)) return undefined
    if (own().has(subject.toString())) return `${text} is this server’s own address`
    return isPublic(subject) ? undefined : `${text} is not a public address`
  }
}

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, [global]))

const isIn = (address: Address, ranges: [Address, number][]): boolean =>
  ranges.some(
    ([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix),
  )

/**
 * Returns the IPv4 address that the network derives from an IPv6 one: mapped, or translated by
 * NAT64.
 */
function translated(address: Address): ipaddr.IPv4 | undefined {
  const isMapped = ['ipv4Mapped', 'rfc6145'].includes(address.range())
  return isMapped || isIn(address, [nat64]) ? ipv4At(address, 12) : undefined
}

const nat64 = ipaddr.parseCIDR('64:ff9b::/96')
const compatible = ipaddr.parseCIDR('::/96')

/** Returns every IPv4 address that an address may contain. */
function inside(address: Address): ipaddr.IPv4[] {
  if (address.kind() === 'ipv4') return []
  if (isIn(address, [compatible])) return [ipv4At(address, 12)]
  switch (address.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
      return [ipv4At(address, 12)]
    case 'rfc6052':
      // At the end, or around the ninth byte where the prefix is shorter (RFC 6052, 2.2).
      return [ipv4At(address, 12), ipv4Of(address, [6, 7, 9, 10])]
    case '6to4':
      return [ipv4At(address, 2)]
    case 'teredo':
      return [ipv4At(address, 4), inverted(ipv4At(address, 12))]
    default:
      return []
  }
}

const ipv4At = (address: Address, from: number): ipaddr.IPv4 =>
  ipv4Of(address, [from, from + 1, from + 2, from + 3])

function ipv4Of(address: Address, offsets: number[]): ipaddr.IPv4 {
  const bytes = address.toByteArray()
  return new ipaddr.IPv4(offsets.map(offset => bytes[offset] ?? 0))
}

const inverted = (address: ipaddr.IPv4): ipaddr.IPv4 =>
  new ipaddr.IPv4(address.octets.map(octet => 255 - octet))

// Cached briefly, because they rarely change and are needed for every connection.
const ownForMs = 5_000
let known: { at: number; addresses: Set<string> } | undefined

function ownAddresses(): Set<string> {
  if (known === undefined || performance.now() - known.at > ownForMs) {
    const all = Object.values(networkInterfaces()).flatMap(list => list ?? [])
    const addresses = all.map(({ address }) => ipaddr.process(address).toString())
    known = { at: performance.now(), addresses: new Set(addresses) }
  }
  return known.addresses
}
