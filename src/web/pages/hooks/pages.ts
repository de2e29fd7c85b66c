import type { Page } from '../../page.ts'
import * as changes from './changes.ts'
import { delivery, deliveryList, redeliverOne, redeliverSeveral } from './deliveries.ts'
import { scripts } from './scripts.ts'
import { webhook, webhookList } from './webhooks.ts'

/** Webhooks with their deliveries, and hook scripts. */
export const hookPages: Page[] = [
  deliveryList,
  redeliverSeveral,
  delivery,
  redeliverOne,
  webhookList,
  ...Object.values(changes),
  webhook,
  scripts,
]
