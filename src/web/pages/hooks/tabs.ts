import type { Db } from '../../../db.ts'
import { listWebhooks } from '../../../model/events/webhooks.ts'

/** Returns the head of the pages about hooks, with the number of webhooks. */
export async function hooksHead(pool: Db) {
  const webhooks = await listWebhooks(pool)
  return {
    webhooks,
    head: {
      title: 'Hooks',
      lead: 'Webhooks to your other systems, and scripts on this server.',
      tabs: [
        { label: 'Deliveries', address: '/hooks' },
        { label: 'Webhooks', address: '/hooks/webhooks', count: webhooks.length },
        { label: 'Scripts', address: '/hooks/scripts' },
      ],
      actions: [
        { label: 'Add webhook', address: '/hooks/webhooks/new', look: 'primary', icon: 'plus' },
      ],
    },
  }
}
