import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

// Ranges of addresses, as administrators write them and PostgreSQL's `cidr` accepts them.

/**
 * An address or a range of addresses, IPv4 or IPv6, in one spelling. IPv4 in IPv6 (RFC 4291,
 * 2.5.5.2) is IPv4, as in the addresses that it is compared with. An address with bits beyond its
 * prefix is refused: either the address or the prefix may be the mistake.
 */
export const cidr = z.string().transform((text, context) => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  const [, written = '', length] = /^([0-9A-Fa-f:.]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  if (isIP(written) === 0) {
    return refuse('must be an address or a range, such as 192.0.2.0/24 or 2001:db8::/32')
  }
  let address = parseAddress(written)
  let prefix = Number(length ?? widthOf(address))
  if (prefix > widthOf(address)) {
    return refuse(`has a prefix that is longer than ${widthOf(address)} bits`)
  }
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefix >= 96) {
    address = address.toIPv4Address()
    prefix -= 96
  }
  const range = `${address}/${prefix}`
  const network = `${kindOf(address).networkAddressFromCIDR(range)}/${prefix}`
  if (range === network) return range
  return refuse(`has bits beyond its prefix: write ${network} or ${address}/${widthOf(address)}`)
})

/** One address, in the same spelling. */
export const address = z
  .string()
  .refine(text => !text.includes('/'), 'must be an address')
  .pipe(cidr)
  .transform(range => range.replace(/\/.*$/, ''))

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Parses an address that `isIP` accepts. The library reads ::1.2.3.4 as ::ffff:1.2.3.4, so it gets
 * the spelling of URLs.
 */
export const parseAddress = (text: string): Address =>
  ipaddr.parse(isIPv6(text) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text)

const kindOf = (address: Address) => (address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4)

const widthOf = (address: Address): 32 | 128 => (address instanceof ipaddr.IPv6 ? 128 : 32)
