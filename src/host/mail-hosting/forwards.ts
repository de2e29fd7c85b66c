// Counts the addresses elsewhere that aliases lead to: they count towards the account's limit.

/**
 * Returns how many addresses outside of these domains each alias leads to, by way of further
 * aliases too. Postfix takes an alias before the one for all unknown addresses of its domain.
 */
export function forwardsOf(
  domains: readonly string[],
  aliases: ReadonlyMap<string, readonly string[]>,
): [address: string, count: number][] {
  const own = new Set(domains)
  const targetsOf = (address: string) =>
    aliases.get(address) ?? aliases.get(`@${domainOf(address)}`) ?? []
  const follow = (address: string, seen: Set<string>): Set<string> => {
    // Aliases may lead in a circle.
    if (!seen.has(address)) {
      seen.add(address)
      for (const target of targetsOf(address)) follow(target, seen)
    }
    return seen
  }
  return [...aliases.keys()].map(address => {
    const reached = [...follow(address, new Set())]
    return [address, reached.filter(one => !own.has(domainOf(one))).length]
  })
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
