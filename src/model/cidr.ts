import { isIPv4, isIPv6 } from 'node:net'
import { z } from 'zod'

// Ranges of addresses, as administrators write them and PostgreSQL's `cidr` takes them.

/**
 * An address or a range of addresses, IPv4 or IPv6, in one spelling. IPv4 in IPv6 (RFC 4291,
 * 2.5.5.2) is IPv4, as in the addresses that it is compared with. An address with bits beyond its
 * prefix is refused: nobody can tell whether the address or the prefix is the mistake.
 */
export const cidr = z.string().transform((text, context) => {
  const range = parse(text)
  if (typeof range === 'string') {
    context.addIssue({ code: 'custom', message: range })
    return z.NEVER
  }
  return spell(range)
})

/** One address, in the same spelling. */
export const address = z
  .string()
  .refine(text => !text.includes('/'), 'must be an address')
  .pipe(cidr)
  .transform(range => range.replace(/\/.*$/, ''))

type Range = { bits: bigint; width: 32 | 128; prefix: number }

const mapped = 0xffffn

// The range, or what is wrong with the text.
function parse(text: string): Range | string {
  const [, address = '', prefixText] = /^([0-9A-Fa-f:.]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  if (!isIPv4(address) && !isIPv6(address)) {
    return 'must be an address or a range, as 192.0.2.0/24 or 2001:db8::/32'
  }
  const range = unmapped({
    bits: isIPv4(address) ? bitsOfIPv4(address) : bitsOfIPv6(address),
    width: isIPv4(address) ? 32 : 128,
    prefix: Number(prefixText ?? (isIPv4(address) ? 32 : 128)),
  })
  if (range.prefix > range.width) return `has a prefix that is longer than ${range.width} bits`
  const hostBits = BigInt(range.width - range.prefix)
  const network = { ...range, bits: (range.bits >> hostBits) << hostBits }
  if (network.bits === range.bits) return range
  const whole = spell({ ...range, prefix: range.width })
  return `has bits beyond its prefix: write ${spell(network)} or ${whole}`
}

function unmapped(range: Range): Range {
  const isMapped = range.width === 128 && range.prefix >= 96 && range.bits >> 32n === mapped
  if (!isMapped || range.prefix > 128) return range
  return { bits: range.bits & 0xffffffffn, width: 32, prefix: range.prefix - 96 }
}

const bitsOfIPv4 = (address: string): bigint =>
  address.split('.').reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n)

function bitsOfIPv6(address: string): bigint {
  const [head = '', tail] = address.split('::')
  const [before, after] = [groups(head), groups(tail ?? '')]
  const gap = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<bigint>(gap).fill(0n), ...after].reduce(
    (bits, group) => (bits << 16n) | group,
    0n,
  )
}

// The last group may be an IPv4 address, which is two of them.
function groups(text: string): bigint[] {
  if (text === '') return []
  return text.split(':').flatMap(group => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)]
    const bits = bitsOfIPv4(group)
    return [bits >> 16n, bits & 0xffffn]
  })
}

function spell({ bits, width, prefix }: Range): string {
  if (width === 32) {
    return `${[24n, 16n, 8n, 0n].map(shift => (bits >> shift) & 0xffn).join('.')}/${prefix}`
  }
  const hex = bits.toString(16).padStart(32, '0').match(/.{4}/g) ?? []
  // The WHATWG URL serialiser writes IPv6 as RFC 5952 wants it.
  const { hostname } = new URL(`http://[${hex.join(':')}]`)
  return `${hostname.slice(1, -1)}/${prefix}`
}
