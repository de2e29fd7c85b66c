import { z } from 'zod'
import { DeliveryFilter, listDeliveries } from '../../../model/events/delivery-records.ts'
import type { Trouble } from '../../../model/server/concerns.ts'
import { listReceivers, type Receiver } from '../../../model/events/receivers.ts'
import { getWebhook, type Webhook } from '../../../model/events/webhooks.ts'
import { withQuery } from '../../addresses.ts'
import { administrators, page } from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'
import { idOf } from './deliveries.ts'
import { namesAmong, webhookNames } from './names.ts'
import { hooksHead } from './tabs.ts'

/** /hooks/webhooks: where events are sent, and how the receivers do. */
export const webhookList = page({
  path: '/hooks/webhooks',
  roles: administrators,
  navigation: { label: 'hooks.webhooks', within: '/hooks' },
  async load({ pool }) {
    const [{ head, webhooks }, receivers] = await Promise.all([
      hooksHead(pool),
      listReceivers(pool),
    ])
    const nameOf = namesAmong(webhooks)
    return {
      head,
      webhooks: webhooks.map(webhook => ({
        ...webhook,
        name: nameOf(webhook),
        ...healthOf(
          webhook,
          receivers.find(one => one.webhook_id === webhook.id),
        ),
      })),
    }
  },
  template: 'pages/hooks/webhooks',
})

/** /hooks/webhooks/ID: one with its latest deliveries. */
export const webhook = page({
  path: '/hooks/webhooks/:id',
  roles: administrators,
  query: z.object({ state: DeliveryFilter.shape.state }),
  async load({ pool, params, query }) {
    const id = idOf(params)
    const found = await getWebhook(pool, id)
    const [[receiver], deliveries, nameOf] = await Promise.all([
      listReceivers(pool, id),
      listDeliveries(pool, { webhookId: id, state: query.state, limit: 20 }),
      webhookNames(pool),
    ])
    return {
      webhook: { ...found, name: nameOf(found), ...healthOf(found, receiver) },
      deliveries,
      all: withQuery('/hooks', { webhook: id }),
      to: (delivery: string) => withQuery('/hooks', { webhook: id, delivery }),
    }
  },
  template: 'pages/hooks/webhook',
})

const shown = 40

const words: Record<Trouble, PlainKey> = {
  failing: 'hooks.failingDays',
  silent: 'hooks.allRecentOnesFailed',
  unreached: 'hooks.allFailed',
}

// In a word, and the latest outcomes with the oldest first.
function healthOf({ trouble }: Webhook, receiver: Receiver | undefined) {
  const outcomes = receiver?.outcomes ?? []
  const failed = outcomes.filter(isDelivered => !isDelivered).length
  const health = trouble
    ? { word: t(words[trouble]), tone: 'bad' }
    : outcomes.length === 0
      ? { word: t('hooks.nothingSentYet'), tone: 'quiet' }
      : outcomes[0] === false
        ? { word: t('hooks.lastOneFailed'), tone: 'bad' }
        : failed > 0
          ? { word: t('hooks.someFailed'), tone: 'warn' }
          : { word: t('hooks.well'), tone: 'good' }
  return {
    receiver,
    failed,
    ended: outcomes.length,
    health,
    latest: outcomes.slice(0, shown).reverse(),
  }
}
