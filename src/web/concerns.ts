import type { Concern } from '../model/server/concerns.ts'

/** Adds to a concern the address of the page that shows more of it. */
export const withAddress = (concern: Concern) => ({ ...concern, address: addressOf(concern) })

function addressOf({ about, check }: Concern): string {
  if ('webhook' in about) return `/hooks/webhooks/${about.webhook}`
  if ('account' in about) return `/accounts/${encodeURIComponent(about.account)}`
  if (about.list === 'server') return '/server'
  return check === 'disk/accounts' ? '/accounts?sort=-disk' : '/accounts'
}
