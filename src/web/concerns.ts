import type { Concern } from '../model/server/concerns.ts'

/** Returns the id of a concern's line on the page of the server. */
export const concernId = (key: string): string => `concern-${encodeURIComponent(key)}`

/** Adds to a concern the address of the page that shows more of it. */
export const withAddress = (concern: Concern) => ({ ...concern, address: addressOf(concern) })

function addressOf({ about, check, key }: Concern): string {
  if ('webhook' in about) return `/hooks/webhooks/${about.webhook}`
  if ('account' in about) return `/accounts/${encodeURIComponent(about.account)}`
  if (about.list === 'server') return `/server#${concernId(key)}`
  return check === 'disk/accounts' ? '/accounts?sort=-disk' : '/accounts'
}
