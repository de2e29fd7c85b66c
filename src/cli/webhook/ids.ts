import { z } from 'zod'

const id = (list: string) => z.uuid(`must be an id, as \`panel webhook ${list}\` shows it`)

export const WebhookId = z.object({ ID: id('ls') })
export const DeliveryId = z.object({ ID: id('deliveries') })
