import { z } from 'zod'
import {
  DeliveryFilter,
  listDeliveries,
  redeliver,
} from '../../../model/events/delivery-records.ts'
import { events } from '../../../model/events/events.ts'
import { recorded } from '../../../model/history/history.ts'
import { retryTime } from '../../../model/jobs/retried.ts'
import { listPaused } from '../../../model/jobs/paused-tasks.ts'
import { pausedSince } from '../../../model/server/restore-pause.ts'
import { PanelError } from '../../../errors.ts'
import { withQuery } from '../../addresses.ts'
import { derivedId } from '../../derived.ts'
import { several } from '../../fields.ts'
import { form, keyOf } from '../../form.ts'
import { administrators, page, type PageRequest } from '../../page.ts'
import { actOnEach } from '../../several.ts'
import { t } from '../../texts/texts.ts'
import { namesAmong, webhookNames } from './names.ts'
import { hooksHead } from './tabs.ts'
import { showDelivery } from './shown-delivery.ts'

const perPage = 50

const { state, event, after } = DeliveryFilter.shape
const Query = z.object({
  ...{ state, event, after },
  webhook: z.uuid().optional(),
  /** The one that is shown next to the list. */
  delivery: z.uuid().optional(),
})

/** /hooks: the latest deliveries of all webhooks, and one of them in full. */
export const deliveryList = page({
  path: '/hooks',
  roles: administrators,
  navigation: { label: 'hooks.hooks', icon: 'webhook' },
  query: Query,
  async load({ pool, query }) {
    const { webhook, delivery, ...filter } = query
    const [{ head, webhooks }, found, shown, paused, restorePausedSince] = await Promise.all([
      hooksHead(pool),
      listDeliveries(pool, { ...filter, webhookId: webhook, limit: perPage + 1 }),
      delivery === undefined ? undefined : showDelivery(pool, delivery),
      listPaused(pool),
      pausedSince(pool),
    ])
    const deliveries = found.slice(0, perPage)
    // Removed webhooks are named by their deliveries.
    const sent = deliveries.map(({ webhook_id: id, url }) => ({ id, url }))
    const nameOf = namesAmong([...webhooks, ...sent])
    const to = (more: Partial<z.output<typeof Query>>) =>
      withQuery('/hooks', { ...query, after: undefined, delivery: undefined, ...more })
    return {
      head,
      restorePausedSince,
      deliveries,
      shown,
      paused: paused.filter(({ task }) => task === 'webhook/deliver'),
      nameOf,
      to: (id: string) => withQuery('/hooks', { ...query, delivery: id }),
      next: found.length > perPage ? deliveries.at(-1)!.id : null,
      retryAll: retryAllOf(query),
      isFiltered: Boolean(webhook ?? filter.state ?? filter.event),
      hasWebhooks: webhooks.length > 0,
      webhookOptions: webhooks.map(one => ({ value: one.id, label: nameOf(one) })),
      events: Object.keys(events),
      chips: [
        {
          label: t('hooks.all'),
          address: to({ state: undefined }),
          isCurrent: filter.state === undefined,
        },
        ...(['due', 'delivered', 'failed', 'cancelled'] as const).map(one => ({
          label: one === 'due' ? t('hooks.pending') : one.charAt(0).toUpperCase() + one.slice(1),
          address: to({ state: one }),
          isCurrent: filter.state === one,
        })),
      ],
    }
  },
  template: 'pages/hooks/deliveries',
})

// Returns the form that sends all failed deliveries of a filter again, over all pages; none for two
// filters at once, which jobs do not have.
function retryAllOf({ state, webhook, event }: z.output<typeof Query>): string | undefined {
  if (state !== 'failed' || (webhook !== undefined && event !== undefined)) return undefined
  return withQuery('/jobs/retry', { state, kind: 'delivery', q: webhook ?? event })
}

/** /hooks/deliveries/ID */
export const delivery = page({
  path: '/hooks/deliveries/:id',
  roles: administrators,
  load: async ({ pool, params }) => ({ delivery: await showDelivery(pool, idOf(params)) }),
  template: 'pages/hooks/delivery',
})

/** Sends one again. */
export const redeliverOne = form({
  path: '/hooks/deliveries/:id/redeliver',
  roles: administrators,
  title: () => t('hooks.sendDeliveryAgain'),
  parent: ({ id }) => `/hooks/deliveries/${encodeURIComponent(id)}`,
  fields: {},
  load: async ({ pool, params }) => {
    const { event, receiver } = await showDelivery(pool, idOf(params))
    return { words: [t('hooks.eventWillSentReceiver', { event, receiver })] }
  },
  submit: 'hooks.sendAgain',
  call: ({ id }) => ({ command: `panel webhook redeliver ${id}` }),
  act: async given => `/hooks/deliveries/${await sendAgain(given, idOf(given.params))}`,
})

/** Sends again what was chosen in a list. */
export const redeliverSeveral = form({
  path: '/hooks/deliveries/redeliver',
  roles: administrators,
  title: () => t('hooks.sendDeliveriesAgain'),
  parent: () => '/hooks',
  fields: {
    id: several(
      'hooks.idLabel',
      z
        .array(z.uuid())
        .min(1, { error: () => t('hooks.mustChosen') })
        .max(100, { error: () => t('hooks.atMost100') }),
    ),
  },
  load: async ({ pool, body }) => {
    const chosen = new Set(body.getAll('id'))
    const nameOf = await webhookNames(pool)
    const ended = (await listDeliveries(pool, { limit: 200 })).filter(one => one.state !== 'due')
    const shown = ended.filter(one => chosen.has(one.id))
    return {
      options: {
        id: (shown.length > 0 ? shown : ended.slice(0, 20)).map(
          ({ id, event, webhook_id, url }) => ({
            value: id,
            label: t('hooks.eventNameId', {
              event,
              name: nameOf({ id: webhook_id, url }),
              id: id.slice(0, 8),
            }),
          }),
        ),
      },
    }
  },
  submit: 'hooks.sendAgain',
  act: async given =>
    actOnEach(given.wiring, {
      all: new Set(given.values.id),
      act: id => sendAgain(given, id),
      then: withQuery('/jobs/retried', { at: await retryTime(given.pool) }),
      report: done => t('hooks.sentAgainTime', { done }),
    }),
})

// The form's key makes the new one's id, so that a form that is sent twice sends once.
function sendAgain(
  { pool, caller, body }: Pick<PageRequest, 'pool' | 'caller' | 'body'>,
  id: string,
) {
  const change = { action: 'delivery/redeliver', about: id } as const
  return recorded(pool, caller, change, db =>
    redeliver(db, id, derivedId(caller.id, keyOf(body), id)),
  )
}

export function idOf({ id }: { id: string }): string {
  if (z.uuid().safeParse(id).success) return id.toLowerCase()
  throw new PanelError('not_found', t('hooks.thereNothingAddress'))
}
