import type { SiteBytes } from '../../model/server/host.ts'

// Time in seconds, site, bytes sent, bytes received, status (log_format in nginx-shared.ts). A
// number with more digits than any response or site can have is not from nginx.
const line = /^([0-9]{1,10})\.[0-9]{3} ([0-9]{1,18}) ([0-9]{1,13}) [0-9]+ [0-9]{3}$/

/** Sums whole lines by site and month; a line belongs to the month of its own time, UTC. */
export function sumLines(text: string): { sums: SiteBytes[]; skipped: number } {
  const sums = new Map<string, { site: string; month: string; bytes: bigint }>()
  let skipped = 0
  for (const match of text.split('\n').map(one => line.exec(one))) {
    const [, seconds, site, bytes] = match ?? []
    if (seconds === undefined || site === undefined || bytes === undefined) {
      skipped++
      continue
    }
    const month = monthOf(Number(seconds))
    const sum = sums.get(`${site} ${month}`) ?? { site, month, bytes: 0n }
    sum.bytes += BigInt(bytes)
    sums.set(`${site} ${month}`, sum)
  }
  return { sums: Array.from(sums.values(), sum => ({ ...sum, bytes: `${sum.bytes}` })), skipped }
}

const monthOf = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 7)}-01`
