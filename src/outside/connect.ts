import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import { buildConnector } from 'undici'
import { type AddressPolicy, RefusedAddress } from './addresses.ts'
import type { Limits } from './limits.ts'

/** Resolves a name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/**
 * Connects only to addresses that the policy allows. The policy checks the very DNS answer that the
 * connection uses, so a name that changes its address in between gains nothing.
 */
export function checkedConnector(
  policy: AddressPolicy,
  { connectMs, nextAddressMs }: Limits,
  resolve: Resolve = hostname => systemLookup(hostname, { all: true }),
  authorities: readonly string[] = [],
): buildConnector.connector {
  const connect = buildConnector({
    ...trusting(authorities),
    timeout: connectMs,
    lookup: checkedLookup(policy, shared(resolve)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
    // The environment must not switch this off.
    rejectUnauthorized: true,
    allowH2: false,
  })
  return (options, callback) => {
    // Addresses are not looked up.
    const literal = options.hostname.replace(/^\[|\]$/g, '')
    const reason = isIP(literal) === 0 ? undefined : policy(literal)
    if (reason === undefined) connect(options, callback)
    else queueMicrotask(() => callback(new RefusedAddress(reason), null))
  }
}

// Made once: with all public authorities in it, this takes milliseconds.
function trusting(authorities: readonly string[]) {
  if (authorities.length === 0) return {}
  const ca = [...getCACertificates('default'), ...authorities]
  return { secureContext: createSecureContext({ ca }) }
}

// One forbidden address refuses the whole name: trying its other addresses would not make it safe.
function checkedLookup(policy: AddressPolicy, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      addresses => {
        const reason = addresses
          .map(({ address }) => policy(address))
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

// A lookup blocks one of few threads for as long as DNS is silent, so each name gets only one.
function shared(resolve: Resolve): Resolve {
  const inProgress = new Map<string, Promise<LookupAddress[]>>()
  return hostname => {
    const known = inProgress.get(hostname)
    if (known !== undefined) return known
    const answer = resolve(hostname).finally(() => inProgress.delete(hostname))
    inProgress.set(hostname, answer)
    return answer
  }
}
