import ipaddr from 'ipaddr.js'

// The DNS records that a customer has to set for the name of a website.

export type DnsRecord = { type: 'A' | 'AAAA' | 'CNAME'; name: string; value: string }

/** One address of each family, as the world sees the server where it has such. */
export function publicAddresses(addresses: readonly string[]): string[] {
  const known = addresses.map(text => ({ text, address: ipaddr.process(text) }))
  const open = known.filter(({ address }) => address.range() === 'unicast')
  const shown = open.length > 0 ? open : known
  return ['ipv4', 'ipv6'].flatMap(
    kind => shown.find(({ address }) => address.kind() === kind)?.text ?? [],
  )
}

/** Returns the records of a website's names. */
export const recordsOf = (
  domain: string,
  addresses: readonly string[],
  hasWww: boolean,
): DnsRecord[] => [
  ...publicAddresses(addresses).map(
    value => ({ type: value.includes(':') ? 'AAAA' : 'A', name: domain, value }) as const,
  ),
  ...(hasWww ? [{ type: 'CNAME' as const, name: `www.${domain}`, value: domain }] : []),
]
