import { createHmac } from 'node:crypto'
import t from 'tap'
import { listSealedSecrets } from '../../src/model/server/secrets.ts'
import { unseal } from '../../src/model/server/sealing.ts'
import {
  endOverlap,
  getWebhook,
  overlapHours,
  removeWebhook,
  replaceSecret,
} from '../../src/model/events/webhooks.ts'
import { courierOn, emitted, key, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

// A replaced secret stays valid for a time, together with its successor.

const { url, pool } = await database(t)
const receiver = await receiverFor(t)
await courierOn(t, url)
const [old, next, later] = ['the old secret of it', 'the new secret of it', 'one that came later']

/** Returns the secret that signed each header of the next request. */
async function signers(): Promise<[string | undefined, string | undefined]> {
  const before = receiver.received.length
  await emitted(pool, 'account.deleted', { username: 'alice' })
  await until(() => receiver.received.length > before)
  const { headers, body } = receiver.received.at(-1)!
  const by = (name: string) =>
    [old, next, later].find(
      secret =>
        headers[name] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    ) ?? headers[name]?.toString()
  return [by('x-panel-signature'), by('x-panel-signature-next')]
}
const kept = async (): Promise<string[]> =>
  (await listSealedSecrets(pool)).map(({ id, secret }) => `${unseal(secret, key, id)}`).sort()
const stored = async () => (await pool.query('select previous_secret from panel.webhooks')).rows

const { id } = await webhookTo(pool, receiver.url, [], old)

t.test('until the end of the overlap both sign, the old one where it did', async t => {
  t.strictSame(await signers(), [old, undefined])
  const { previous_until } = await replaceSecret(pool, id, next, key, 24)
  const left = (previous_until!.getTime() - Date.now()) / 3_600_000
  t.ok(left > 23.9 && left <= 24.1, `${left} hours`)
  t.strictSame((await getWebhook(pool, id)).previous_until, previous_until)
  t.strictSame(await signers(), [old, next])
  t.strictSame(await kept(), [next, old], 'both are kept from logs')
  t.notMatch(JSON.stringify(await stored()), Buffer.from(old).toString('hex'))
})

t.test('a secret replaced during the overlap keeps the one that the receiver has', async t => {
  await replaceSecret(pool, id, later, key, 1)
  t.strictSame(await signers(), [old, later])
  await replaceSecret(pool, id, next, key, 1)
  t.strictSame(await signers(), [old, next])
})

t.test('when its time is over the old one signs nothing, and is erased', async t => {
  await pool.query(`update panel.webhooks set previous_until = now()`)
  t.strictSame(await signers(), [next, undefined])
  t.equal((await getWebhook(pool, id)).previous_until, null)
  await until(async () => (await stored())[0].previous_secret === null)
  t.strictSame(await kept(), [next])
})

t.test('the overlap is ended at once', async t => {
  await replaceSecret(pool, id, old, key, 1)
  t.strictSame(await signers(), [next, old])
  await endOverlap(pool, id)
  await endOverlap(pool, id)
  t.strictSame(await stored(), [{ previous_secret: null }])
  t.strictSame(await signers(), [old, undefined])
  await t.rejects(endOverlap(pool, crypto.randomUUID()), { code: 'not_found' })
})

t.test('without an overlap nothing is left of any', async t => {
  await replaceSecret(pool, id, next, key, 5)
  t.match(await replaceSecret(pool, id, later, key), { previous_until: null })
  t.strictSame(await stored(), [{ previous_secret: null }])
  t.strictSame(await signers(), [later, undefined])
})

t.test('with its webhook it goes', async t => {
  await replaceSecret(pool, id, next, key, 5)
  await removeWebhook(pool, id)
  await until(async () => (await stored())[0].previous_secret === null)
  await t.rejects(replaceSecret(pool, id, next, key, 5), { code: 'not_found' })
})

t.test('hours are 0 to 24', async t => {
  for (const hours of [0, 1, 24]) t.equal(overlapHours.parse(hours), hours)
  for (const hours of [-1, 25, 1.5, '1', null, NaN]) t.notOk(overlapHours.safeParse(hours).success)
})
