import type { Concern } from '../model/server/concerns.ts'

/** Returns the id of a concern's line, which selectors and addresses can name as it is. */
const concernId = (key: string): string => `concern-${key.replaceAll(/[^\w-]+/g, '-')}`

/** Adds to a concern the id of its line and the address of the page that shows more of it. */
export const withAddress = (concern: Concern) => ({
  ...concern,
  id: concernId(concern.key),
  address: addressOf(concern),
})

function addressOf({ about, check, key }: Concern): string {
  if ('webhook' in about) return `/hooks/webhooks/${about.webhook}`
  if ('account' in about) return `/accounts/${encodeURIComponent(about.account)}`
  if (about.list === 'server') return `/server#${concernId(key)}`
  return check === 'disk/accounts' ? '/accounts?sort=-disk' : '/accounts'
}
