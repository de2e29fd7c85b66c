import type { Authority } from '../model/certificates/authority.ts'
import { newAccount, openKey } from './account-key.ts'
import { resolve, type DnsSettings } from './points-here.ts'

export type AuthoritySettings = DnsSettings & {
  /** The address of the ACME directory. */
  directory: string
  serverKey: Buffer
}

// Authorities connect to this port (RFC 8555, section 8.3).
const challengePort = 80

/** Opens the certificate authority, and DNS as the public sees it. */
export function openAuthority({ directory, serverKey, ...by }: AuthoritySettings): Authority {
  return {
    resolve: name => resolve(name, by),
    newAccount: () => newAccount(serverKey),
    // Loaded on first use: they take more memory, and longer to load, than the rest of the courier.
    whyUnanswered: async (name, address, thumbprint) => {
      const { whyUnanswered } = await import('./probe.ts')
      return whyUnanswered(name, thumbprint, { address, port: challengePort })
    },
    renewal: async id => {
      const { renewal } = await import('./renewal.ts')
      return renewal(directory, id)
    },
    order: async ({ key }, request, replaces) => {
      const { order } = await import('./order.ts')
      return order(directory, openKey(key, serverKey), request, replaces)
    },
  }
}
