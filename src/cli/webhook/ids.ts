import { z } from 'zod'
import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { findId, isIdStart } from '../../model/grammar/short-ids.ts'

const id = (list: string) =>
  z.string().refine(isIdStart, `must be an id from \`panel webhook ${list}\``)

export const WebhookId = z.object({ id: id('ls') })
export const DeliveryId = z.object({ id: id('deliveries') })

/** @throws {PanelError} `not_found`, or `invalid` where several ids begin so */
export async function wholeId(
  db: Db,
  table: 'webhooks' | 'deliveries',
  start: string,
): Promise<string> {
  const id = await findId(db, [table], start)
  if (id !== undefined) return id
  const singular = table === 'webhooks' ? 'webhook' : 'delivery'
  throw new PanelError('not_found', `Unknown ${singular}: ${start}`)
}
