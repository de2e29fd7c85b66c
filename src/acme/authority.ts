import type { Authority } from '../model/authority.ts'
import { newAccount, openKey } from './account-key.ts'
import { look, type LookSettings } from './points-here.ts'
import { whyUnanswered } from './probe.ts'

export type AuthoritySettings = LookSettings & {
  /** The address of the ACME directory. */
  directory: string
  serverKey: Buffer
}

// Authorities connect to this port (RFC 8555, section 8.3).
const challengePort = 80

/** The certificate authority, and DNS as the world sees it. */
export function openAuthority({ directory, serverKey, ...by }: AuthoritySettings): Authority {
  return {
    look: name => look(name, by),
    newAccount: () => newAccount(serverKey),
    whyUnanswered: (name, address, thumbprint) =>
      whyUnanswered(name, thumbprint, { address, port: challengePort }),
    order: async ({ key }, request) => {
      // Loaded on first use: it takes as long to load as the rest of the courier.
      const { order } = await import('./order.ts')
      return order(directory, openKey(key, serverKey), request)
    },
  }
}
