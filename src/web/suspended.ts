import type { Reply } from '../http/reply.ts'
import type { About } from './page.ts'
import { plain } from './render.ts'

/**
 * Returns the only page for a suspended customer: it says so, and whom to ask.
 *
 * @param contact its reseller's address; null if the account is of the server's own catalogue
 */
export const suspendedPage = (
  contact: string | null,
  { serverName }: Pick<About, 'serverName'>,
): Reply =>
  plain(403, 'suspended', {
    contact,
    serverName,
    mailto: contact === null ? null : toMailto(contact),
  })

/** An address as a link (RFC 6068): what it has of an address's syntax is no part of the link's. */
export function toMailto(address: string): string {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)].map(encodeURIComponent)
  return `mailto:${local}@${domain}`
}
