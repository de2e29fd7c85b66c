import type { SiteBytes } from '../../model/server/logs-host.ts'
import type { SiteLines } from '../../model/sites/site-logs.ts'
import { toRequestLines } from './request-lines.ts'

// Time in seconds, site, bytes sent, bytes received, status, and what logs of websites have
// (src/host/web/access-log-format.ts). A number with more digits than any response or site can have
// is not from nginx.
const line = /^([0-9]{1,10})\.[0-9]{3} ([0-9]{1,18}) ([0-9]{1,13}) [0-9]+ ([0-9]{3})(?: (.*))?$/

type Summed = { sums: SiteBytes[]; sites: SiteLines[]; skipped: number }

/**
 * Sums whole lines by site and month, and sorts them by site. A line belongs to the month of its
 * own time, UTC.
 */
export function sumLines(text: string): Summed {
  const sums = new Map<string, { site: string; month: string; bytes: bigint }>()
  const sites = new Map<string, SiteLines>()
  let skipped = 0
  for (const match of text.split('\n').map(one => line.exec(one))) {
    const [, seconds, site, bytes, status = '', rest] = match ?? []
    if (seconds === undefined || site === undefined || bytes === undefined) {
      skipped++
      continue
    }
    const month = monthOf(Number(seconds))
    const sum = sums.get(`${site} ${month}`) ?? { site, month, bytes: 0n }
    sum.bytes += BigInt(bytes)
    sums.set(`${site} ${month}`, sum)
    const logged = rest === undefined ? rest : toRequestLines(Number(seconds), status, rest)
    if (logged === undefined) continue
    const ofSite = sites.get(site) ?? { site, access: '', errors: '' }
    ofSite.access += logged.access
    ofSite.errors += logged.error ?? ''
    sites.set(site, ofSite)
  }
  return {
    sums: Array.from(sums.values(), sum => ({ ...sum, bytes: `${sum.bytes}` })),
    sites: [...sites.values()],
    skipped,
  }
}

const monthOf = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 7)}-01`
