import type { Reply } from '../http/reply.ts'
import type { About } from './page.ts'
import { plain } from './render.ts'

/**
 * All that somebody gets who is suspended: that it is so, and whom to ask.
 *
 * @param contact its reseller's address; null where the house has sold the account
 */
export const suspendedPage = (
  contact: string | null,
  { serverName }: Pick<About, 'serverName'>,
): Reply => plain(403, 'suspended', { contact, serverName })
