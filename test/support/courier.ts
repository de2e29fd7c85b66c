import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { type EventData, event, type EventName } from '../../src/model/events/events.ts'
import { addWebhook, secretsKey } from '../../src/model/events/webhooks.ts'
import { openOutside, type OutsideOptions } from '../../src/outside/post.ts'
import { type CourierOptions, startCourier } from '../../src/courier/courier.ts'
import type { Authority } from '../../src/model/certificates/authority.ts'
import type { ObserveStep } from '../../src/courier/task.ts'
import type { Db } from '../../src/db.ts'

/** The server's key of all test panels with couriers. */
export const serverKey = Buffer.alloc(32, 'the key of a server in a test')
export const key = secretsKey(serverKey)

type CourierSettings = {
  outside?: OutsideOptions
  authority?: Authority | undefined
  observe?: ObserveStep
  findRelease?: CourierOptions['findRelease']
  checkMailDomain?: CourierOptions['checkMailDomain']
}

/** A courier in this process, wired as in bin/panel-courier.ts; it may reach loopback. */
export async function courierOn(t: Test, databaseUrl: string, options: CourierSettings = {}) {
  const courier = await startCourier(courierOptions(databaseUrl, options))
  let isStopped = false
  const stop = () => {
    isStopped = true
    return courier.stop()
  }
  t.teardown(stop)
  void courier.gaveUp.then(({ reason, error }) => {
    if (!isStopped) throw new Error(reason, { cause: error })
  })
  return { ...courier, stop }
}

export const courierOptions = (
  databaseUrl: string,
  { outside, authority, observe, findRelease, checkMailDomain }: CourierSettings = {},
): CourierOptions => ({
  databaseUrl,
  outside: openOutside(outside ?? { allowed: ['127.0.0.0/8'] }),
  secretsKey: key,
  ownMail: {
    ...{ serverKey, serverName: 'panel.test', baseUrl: 'https://panel.test:8443' },
    version: '0.1.0',
  },
  userAgent: 'Panel-Webhooks/test',
  authority: authority ?? null,
  findRelease: findRelease ?? null,
  // The name servers of no test.
  checkMailDomain: checkMailDomain ?? (async () => ({ found: 'unknown', proofs: [], records: [] })),
  ...(observe === undefined ? {} : { observe }),
})

/** A webhook with a secret of its own. */
export const webhookTo = (
  db: Db,
  url: string,
  events: EventName[] = [],
  secret = randomBytes(16).toString('hex'),
) => addWebhook(db, { url, events, secret }, key)

/** Emits an event as an operation does; returns its body, which has no number yet. */
export async function emitted<Name extends EventName>(
  db: Db,
  name: Name,
  data: EventData<Name>,
): Promise<{ id: string; body: Buffer }> {
  const { body } = event(name, data, { server: 'panel.test', time: new Date() })
  const { rows } = await db.query('select panel.emit($1, null, null, $2) as id', [name, body])
  return { id: rows[0].id, body }
}

/** Returns a receiver's copy of an event: its body, once it has its number. */
export async function sentBody(db: Db, eventId: string): Promise<Buffer> {
  await db.query('select panel.number_events()')
  const { rows } = await db.query(
    'select panel.event_body(e) as body from panel.events e where id = $1',
    [eventId],
  )
  return rows[0].body
}

/** Makes every retry due now, instead of in 5 s or 30 s. */
export async function hurryRetries(db: Db): Promise<void> {
  await db.query(
    `with due as (
       update panel.deliveries set due_at = now()
       where state = 'due' and due_at > now()
       returning queue_job_id)
     update courier_queue._private_jobs j set run_at = now()
     from due where j.id = due.queue_job_id`,
  )
  await db.query(`select pg_notify('jobs:insert', '{"count":1}')`)
}
