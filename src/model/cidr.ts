import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

// Ranges of addresses, as administrators write them and PostgreSQL's `cidr` takes them.

/**
 * An address or a range of addresses, IPv4 or IPv6, in one spelling. IPv4 in IPv6 (RFC 4291,
 * 2.5.5.2) is IPv4, as in the addresses that it is compared with. An address with bits beyond its
 * prefix is refused: nobody can tell whether the address or the prefix is the mistake.
 */
export const cidr = z.string().transform((text, context) => {
  const [, written = '', length] = /^([0-9A-Fa-f:.]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  const why = (message: string) => {
    context.addIssue(message)
    return z.NEVER
  }
  if (isIP(written) === 0) {
    return why('must be an address or a range, as 192.0.2.0/24 or 2001:db8::/32')
  }
  let address = parseAddress(written)
  let bits = widthOf(address)
  let prefix = Number(length ?? bits)
  if (prefix > bits) return why(`has a prefix that is longer than ${bits} bits`)
  if ('toIPv4Address' in address && address.isIPv4MappedAddress() && prefix >= 96) {
    address = address.toIPv4Address()
    bits = 32
    prefix -= 96
  }
  const range = `${address}/${prefix}`
  const kind = bits === 32 ? ipaddr.IPv4 : ipaddr.IPv6
  const network = `${kind.networkAddressFromCIDR(range)}/${prefix}`
  if (range === network) return range
  return why(`has bits beyond its prefix: write ${network} or ${address}/${bits}`)
})

/** One address, in the same spelling. */
export const address = z
  .string()
  .refine(text => !text.includes('/'), 'must be an address')
  .pipe(cidr)
  .transform(range => range.replace(/\/.*$/, ''))

/** The library takes ::1.2.3.4 for ::ffff:1.2.3.4, so it gets the spelling of URLs. */
export const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 =>
  ipaddr.parse(text.includes(':') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text)

const widthOf = (address: ipaddr.IPv4 | ipaddr.IPv6) => (address.kind() === 'ipv4' ? 32 : 128)
