import type { Authority } from '../model/authority.ts'
import { newAccount, openKey } from './account-key.ts'
import { look, type LookSettings } from './points-here.ts'
import { whyUnanswered } from './probe.ts'

export type AuthoritySettings = LookSettings & {
  /** Where an authority tells its addresses. */
  directory: string
  serverKey: Buffer
}

// Where authorities ask (RFC 8555, section 8.3).
const challengePort = 80

/** The certificate authority, and the names as the world sees them. */
export function openAuthority({ directory, serverKey, ...by }: AuthoritySettings): Authority {
  return {
    look: name => look(name, by),
    newAccount: () => newAccount(serverKey),
    whyUnanswered: (name, address, thumbprint) =>
      whyUnanswered(name, thumbprint, { address, port: challengePort }),
    order: async ({ key }, request) => {
      // Loaded when it is needed first: it takes as long to load as all else of a courier.
      const { order } = await import('./order.ts')
      return order(directory, openKey(key, serverKey), request)
    },
  }
}
