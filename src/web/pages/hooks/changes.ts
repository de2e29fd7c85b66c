import { tryOut } from '../../../model/events/delivery-records.ts'
import { testEvent } from '../../../model/events/event-examples.ts'
import { eventName, events } from '../../../model/events/events.ts'
import { recorded } from '../../../model/history/history.ts'
import { listReceivers } from '../../../model/events/receivers.ts'
import { pausedSince } from '../../../model/server/restore-pause.ts'
import * as webhooks from '../../../model/events/webhooks.ts'
import { PanelError } from '../../../errors.ts'
import { flags, word } from '../../api-call.ts'
import { derivedId, derivedSecret } from '../../derived.ts'
import { number, password, select, several, text } from '../../fields.ts'
import { form, keyOf, type FormAsked } from '../../form.ts'
import { administrators, draw, goToSaying, type PageRequest } from '../../page.ts'
import { capital } from '../../words.ts'
import { t } from '../../texts/texts.ts'
import { idOf } from './deliveries.ts'
import { webhookNames } from './names.ts'

// Webhooks are added, changed, tried out and removed: the same as `panel webhook` does.

const { url, events: names, secret } = webhooks.NewWebhook.shape

const addressField = text('hooks.url', url, {
  example: 'https://billing.example.com/panel',
  hint: 'hooks.eventsSentTherePost',
})
const eventsField = several('hooks.events', names.default([]), {
  hint: 'hooks.selectNoneEveryEvent',
})
const secretField = password('hooks.yourOwnSecret', secret.optional(), {
  hint: 'hooks.secretHint',
})
const eventOptions = Object.keys(events)
const eventWords = (chosen: unknown): string => flags('--event', chosen)

const pathOf = ({ id }: { id: string }): string => `/hooks/webhooks/${encodeURIComponent(id)}`

const find = ({ pool, params }: FormAsked<'/:id'>) => webhooks.getWebhook(pool, idOf(params))

const findName = async (asked: FormAsked<'/:id'>) =>
  (await webhookNames(asked.pool))(await find(asked))

// A form that is sent twice has made one secret, and shows it again.
function secretOf({ wiring, caller, body }: PageRequest, own: string | undefined): string {
  return own ?? derivedSecret(secretKey(wiring), caller.id, keyOf(body))
}

const secretKey = ({ serverKey }: PageRequest['wiring']): Buffer => webhooks.secretsKey(serverKey())

/** Shows a secret once; one that was typed is not shown at all. */
const showSecret = (
  request: PageRequest,
  {
    title,
    id,
    own,
    made,
    why,
  }: {
    title: string
    id: string
    own: string
    made: string | undefined
    why?: string | undefined
  },
) =>
  draw(request, 200, 'pages/hooks/secret', {
    title,
    why: why && `${capital(why)}.`,
    path: pathOf({ id }),
    secret: made === undefined ? own : undefined,
  })

export const newWebhook = form({
  path: '/hooks/webhooks/new',
  roles: administrators,
  title: () => t('hooks.addWebhook'),
  parent: () => '/hooks/webhooks',
  fields: { url: addressField, events: eventsField, secret: secretField },
  load: async () => ({ options: { events: eventOptions } }),
  submit: 'hooks.addWebhook',
  call: (_, values) => ({
    command: `panel webhook add ${word(values['url'])}${eventWords(values['events'])}`,
  }),
  async act(given) {
    const { pool, caller, values, wiring, body } = given
    const own = secretOf(given, values.secret)
    const id = derivedId(caller.id, keyOf(body), values.secret === undefined ? 'made' : 'own')
    await recorded(
      pool,
      caller,
      isNew => (isNew ? { action: 'webhook/add', about: id } : undefined),
      db => webhooks.addWebhookOnce(db, id, { ...values, secret: own }, secretKey(wiring)),
    )
    const why = await wiring.whyUnreachable(values.url)
    return showSecret(given, { title: t('hooks.webhookAdded'), id, own, made: values.secret, why })
  },
})

export const editWebhook = form({
  path: '/hooks/webhooks/:id/edit',
  roles: administrators,
  title: () => t('hooks.editWebhook'),
  parent: pathOf,
  fields: { url: addressField, events: eventsField },
  async load(asked) {
    const found = await find(asked)
    return {
      values: { url: found.url, events: found.events?.join() ?? '' },
      options: { events: eventOptions },
      words: [t('hooks.idSecretStayDeliveries')],
    }
  },
  submit: 'hooks.save',
  call: ({ id }, values) => ({
    command:
      `panel webhook set ${id} --url ${word(values['url'])}` +
      (eventWords(values['events']) || ' --all-events'),
  }),
  async act(given) {
    const id = idOf(given.params)
    const change = { action: 'webhook/set', about: id } as const
    await recorded(given.pool, given.caller, change, db =>
      webhooks.changeWebhook(db, id, given.values),
    )
    const why = await given.wiring.whyUnreachable(given.values.url)
    if (why === undefined) return pathOf({ id })
    const flash = { tone: 'warn', sentence: t('hooks.savedButWhy', { why }) } as const
    return goToSaying(pathOf({ id }), flash, given.wiring)
  },
})

export const replaceSecret = form({
  path: '/hooks/webhooks/:id/secret',
  roles: administrators,
  title: () => t('hooks.replaceSecret'),
  parent: pathOf,
  fields: {
    secret: secretField,
    overlap: number('hooks.overlapLabel', webhooks.overlapHours.default(0), {
      unit: 'hooks.hours',
      hint: 'hooks.overlapHint',
    }),
  },
  load: async asked => ({
    values: { overlap: 1 },
    words: [t('hooks.everyRequestFindNameSigned', { findName: await findName(asked) })],
  }),
  submit: 'hooks.replaceSecret',
  call: ({ id }, { overlap }) => ({
    command: `panel webhook secret ${id}${overlap ? ` --overlap ${word(overlap)}` : ''}`,
  }),
  async act(given) {
    const id = idOf(given.params)
    const own = secretOf(given, given.values.secret)
    const change = { action: 'webhook/replace-secret', about: id } as const
    await recorded(given.pool, given.caller, change, db =>
      webhooks.replaceSecret(db, id, own, secretKey(given.wiring), given.values.overlap),
    )
    return showSecret(given, {
      title: t('hooks.secretReplaced'),
      id,
      own,
      made: given.values.secret,
    })
  },
})

export const endOverlap = form({
  path: '/hooks/webhooks/:id/secret/end',
  roles: administrators,
  title: () => t('hooks.endOldSecret'),
  parent: pathOf,
  fields: {},
  load: async asked => ({
    words: [t('hooks.fromNowRequestsFindName', { findName: await findName(asked) })],
  }),
  submit: 'hooks.endOldSecret',
  call: ({ id }) => ({ command: `panel webhook secret ${id} --end-overlap` }),
  async act({ pool, caller, params }) {
    const id = idOf(params)
    const change = { action: 'webhook/end-overlap', about: id } as const
    await recorded(pool, caller, change, db => webhooks.endOverlap(db, id))
    return pathOf({ id })
  },
})

export const testWebhook = form({
  path: '/hooks/webhooks/:id/test',
  roles: administrators,
  title: () => t('hooks.sendTestEvent'),
  parent: pathOf,
  fields: { event: select('hooks.eventLabel', eventName) },
  async load(asked) {
    const found = await find(asked)
    const desired = found.events ?? []
    return {
      values: { event: desired[0] ?? 'account.created' },
      options: { event: [...new Set([...desired, ...eventOptions])] },
      words: [t('hooks.sentFindNameExampleData', { findName: await findName(asked) })],
    }
  },
  submit: 'hooks.sendTestEventTitle',
  call: ({ id }, values) => ({
    command: `panel webhook test ${id} --event ${word(values['event'])}`,
  }),
  async act(given) {
    const { pool, caller, values, wiring, body, params } = given
    const id = idOf(params)
    if ((await pausedSince(pool)) !== null) {
      throw new PanelError('invalid', t('hooks.serverWasRestoredWebhooks'))
    }
    const event = testEvent(values.event, { server: wiring.about.serverName, time: new Date() })
    const made = await tryOut(pool, id, event, derivedId(caller.id, keyOf(body), id))
    return `/hooks/deliveries/${made}`
  },
})

export const removeWebhook = form({
  path: '/hooks/webhooks/:id/remove',
  roles: administrators,
  title: () => t('hooks.removeWebhook'),
  parent: pathOf,
  fields: {},
  async load(asked) {
    const found = await find(asked)
    const due = (await listReceivers(asked.pool, found.id))[0]?.due ?? 0
    return {
      words: [
        t('hooks.noMoreEventsWill', { url: found.url }),
        due === 0 ? t('hooks.noDeliveriesDue') : t('hooks.dueDeliveriesDueNow', { due }),
      ],
    }
  },
  submit: 'hooks.removeWebhook',
  isDanger: true,
  call: ({ id }) => ({ command: `panel webhook rm ${id}` }),
  async act({ pool, caller, params }) {
    const id = idOf(params)
    const change = { action: 'webhook/remove', about: id } as const
    await recorded(pool, caller, change, db => webhooks.removeWebhook(db, id))
    return '/hooks/webhooks'
  },
})
