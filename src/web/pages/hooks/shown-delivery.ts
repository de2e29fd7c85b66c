import type { Db } from '../../../db.ts'
import { type Delivery, getDelivery } from '../../../model/events/delivery-records.ts'
import { getBody } from '../../../model/jobs/job-steps.ts'
import { t } from '../../texts/texts.ts'
import { webhookNames } from './names.ts'

/**
 * Returns a delivery with the request and the answer of each of its attempts.
 *
 * @throws {PanelError} `not_found`
 */
export async function showDelivery(db: Db, id: string) {
  const delivery = await getDelivery(db, id)
  const body = (await getBody(db, id)).toString()
  const nameOf = await webhookNames(db)
  return {
    ...delivery,
    receiver: nameOf({ id: delivery.webhook_id, url: delivery.url }),
    isOpen: delivery.state === 'due',
    headers: [
      t('hooks.postUrl', { url: delivery.url }),
      t('hooks.contentTypeApplicationJson'),
      t('hooks.xPanelEventEvent', { event: delivery.event }),
      t('hooks.xPanelDeliveryId', { id: delivery.id }),
      t('hooks.xPanelSignatureSha256'),
    ].join('\n'),
    body: readable(body),
    attempts: delivery.attempts.map((one, index) => ({
      ...one,
      // Since the end of the one before.
      waitedMs: waitBefore(delivery, index),
      // The status says all about other answers.
      isReported: one.status === null || isRedirect(one.status),
      words:
        one.status !== null ? t('hooks.httpStatus', { status: one.status }) : t('hooks.noAnswer'),
    })),
  }
}

export type ShownDelivery = Awaited<ReturnType<typeof showDelivery>>

// It is not followed, which the error says.
const isRedirect = (status: number): boolean => status >= 300 && status < 400

function waitBefore({ attempts }: Delivery, index: number): number | null {
  const [before, own] = [attempts[index - 1], attempts[index]!]
  if (before === undefined) return null
  return own.started_at.getTime() - before.started_at.getTime() - before.duration_ms
}

// The same data in several lines.
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
