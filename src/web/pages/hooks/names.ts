import type { Db } from '../../../db.ts'
import { listWebhooks } from '../../../model/events/webhooks.ts'
import { shortId } from '../../words.ts'

// Names a webhook by its host, and as much more as distinguishes it from others at that host.

type Known = { id: string; url: string }
export type NameOf = (webhook: Known) => string

/** The names of webhooks among all that there are. */
export const webhookNames = async (db: Db): Promise<NameOf> => namesAmong(await listWebhooks(db))

export function namesAmong(webhooks: readonly Known[]): NameOf {
  const byHost = Map.groupBy(webhooks, ({ url }) => hostOf(url))
  const byAddress = Map.groupBy(webhooks, ({ url }) => addressOf(url))
  const isOnly = (id: string, alike: readonly Known[] = []) => alike.every(one => one.id === id)
  return ({ id, url }) => {
    if (isOnly(id, byHost.get(hostOf(url)))) return hostOf(url)
    const address = addressOf(url)
    return isOnly(id, byAddress.get(address)) ? address : `${address} (${shortId(id)})`
  }
}

const hostOf = (url: string): string => new URL(url).host

function addressOf(url: string): string {
  const { host, pathname, search } = new URL(url)
  return host + shortened(pathname + search)
}

// Characters of a path to keep: paths differ mostly at their end.
const [atStart, atEnd] = [12, 24]

const shortened = (path: string): string =>
  path.length > atStart + atEnd + 1 ? `${path.slice(0, atStart)}…${path.slice(-atEnd)}` : path
