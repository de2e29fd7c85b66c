import { type Db, maybeOne, run } from '../../db.ts'
import type { SiteLog } from './site-logs.ts'
import type { StatisticsContent } from './site-statistics.ts'

// Readings of a website's logs, which the worker makes when a page requests them.

/** The content of each kind of reading. */
type Contents = { log: SiteLog; statistics: StatisticsContent }

type ReadingKind = keyof Contents

type Reading<Kind extends ReadingKind> = {
  readAt: Date | null
  isAwaited: boolean
  content: Contents[Kind] | null
}

/** Returns the last reading, and whether the worker makes the next one now. */
export const findReading = <Kind extends ReadingKind>(db: Db, siteId: string, kind: Kind) =>
  maybeOne<Reading<Kind>>(db)`
    select read_at as "readAt", content,
      coalesce(read_at < asked_at, true) and asked_at > now() - interval '2 minutes' as "isAwaited"
    from panel.site_readings
    where site_id = ${siteId} and kind = ${kind}`

export const askForReading = (db: Db, siteId: string, kind: ReadingKind) =>
  run(db)`select panel.ask_for_site_reading(${siteId}, ${kind})`

export const recordReading = <Kind extends ReadingKind>(
  db: Db,
  siteId: string,
  kind: Kind,
  content: Contents[Kind],
) => run(db)`select panel.record_site_reading(${siteId}, ${kind}, ${JSON.stringify(content)})`
