import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type Judge, RefusedAddress } from './addresses.ts'
import type { Limits } from './limits.ts'

/** Resolves a name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/**
 * Connects to addresses that the judge lets pass: what is judged is the very answer that the
 * connection is made to, so a name that changes its address in between gains nothing.
 */
export function checkedConnector(
  judge: Judge,
  { connectMs, nextAddressMs }: Limits,
  resolve: Resolve = hostname => systemLookup(hostname, { all: true }),
): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectMs,
    lookup: checkedLookup(judge, shared(resolve)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    // Whatever the environment says.
    rejectUnauthorized: true,
    allowH2: false,
  })
  return (options, callback) => {
    // Nothing is looked up for an address.
    const literal = options.hostname.replace(/^\[|\]$/g, '')
    const reason = isIP(literal) === 0 ? undefined : judge(literal)
    if (reason === undefined) connect(options, callback)
    else queueMicrotask(() => callback(new RefusedAddress(reason), null))
  }
}

// All answers have to pass: a name with one inside address is no mistake that a second try mends.
function checkedLookup(judge: Judge, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      addresses => {
        const reason = addresses
          .map(({ address }) => judge(address))
          .find(text => text !== undefined)
        const [first] = addresses
        if (reason !== undefined) callback(new RefusedAddress(`${hostname}: ${reason}`), '')
        else if (first === undefined) callback(new Error(`${hostname} has no address`), '')
        else if (options.all === true) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      error => callback(error, ''),
    )
  }
}

// Looking a name up keeps one of few threads busy, for long if its DNS is dead: one for each name.
function shared(resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<LookupAddress[]>>()
  return hostname => {
    const known = underWay.get(hostname)
    if (known !== undefined) return known
    const answer = resolve(hostname).finally(() => underWay.delete(hostname))
    underWay.set(hostname, answer)
    return answer
  }
}
