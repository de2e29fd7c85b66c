import {
  listEvents,
  EventFilter,
  EventPage,
  Redelivered,
  Redelivery,
  redeliverEvents,
} from '../model/events/event-feed.ts'
import { reading, writing, type Endpoint } from './endpoint.ts'
import { eventPage, redelivered } from './examples.ts'

const permissions = ['Read events'] as const

/** The events of the server, for receivers that missed some. */
export const eventEndpoints: Endpoint[] = [
  reading({
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'List events',
    description:
      'Returns the events after a number, in order, with the fields that webhooks send. An ' +
      'administrator sees every event of the server; a reseller sees those of its customers’ ' +
      'accounts, with gaps between their numbers. Pass `next` as `after` to continue. The token ' +
      'must have the permission `Read events`.',
    permissions,
    query: EventFilter,
    answers: { 200: { description: 'A page of events', schema: EventPage, example: eventPage } },
    refusals: [],
    read:
      ({ pool }) =>
      ({ caller, query }) =>
        listEvents(pool, caller, query),
  }),
  writing({
    id: 'redeliverEvents',
    method: 'POST',
    path: '/events/redeliver',
    tag: 'Events',
    summary: 'Send events to webhooks again',
    description:
      'Each event with a number above `after` is sent again to the webhooks that are ' +
      'registered for it: the same body, under a new `X-Panel-Delivery`. At most 1000 ' +
      'deliveries are made; where there is more, send `next` as `after`. Refused with 429 ' +
      'while more than 1000 are due to one of the webhooks. Only for administrators, whose ' +
      'token must have the permission `Read events`.',
    permissions,
    body: { schema: Redelivery, example: { after: 4711 }, isRequired: true },
    answers: {
      200: { description: 'The deliveries are queued', schema: Redelivered, example: redelivered },
    },
    refusals: [],
    write: redeliverEvents,
    toDesired: (_, body) => body,
  }),
]
