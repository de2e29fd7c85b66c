import type { Db } from '../../../db.ts'
import { listWebhooks } from '../../../model/events/webhooks.ts'
import { t } from '../../texts/texts.ts'

/** Returns the head of the pages about hooks, with the number of webhooks. */
export async function hooksHead(pool: Db) {
  const webhooks = await listWebhooks(pool)
  return {
    webhooks,
    head: {
      title: t('hooks.hooks'),
      lead: t('hooks.webhooksYourOtherSystems'),
      tabs: [
        { label: t('hooks.deliveries'), address: '/hooks' },
        { label: t('hooks.webhooks'), address: '/hooks/webhooks', count: webhooks.length },
        { label: t('hooks.scripts'), address: '/hooks/scripts' },
      ],
      actions: [
        {
          label: t('hooks.addWebhook'),
          address: '/hooks/webhooks/new',
          look: 'primary',
          icon: 'plus',
        },
      ],
    },
  }
}
