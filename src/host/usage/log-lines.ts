import type { SiteBytes } from '../../model/host.ts'

// Time in seconds, site, bytes sent, bytes received, status (log_format in nginx-shared.ts). More
// digits than the longest answer or the last site will have are no line of nginx's.
const line = /^([0-9]{1,10})\.[0-9]{3} ([0-9]{1,18}) ([0-9]{1,13}) [0-9]+ [0-9]{3}$/

/** Sums up whole lines by site and month; a line belongs to the month of its own time, UTC. */
export function sumLines(text: string): { sums: SiteBytes[]; skipped: number } {
  const sums = new Map<string, bigint>()
  let skipped = 0
  for (const match of text.split('\n').map(one => line.exec(one))) {
    const [, seconds, site, bytes] = match ?? []
    if (seconds === undefined || site === undefined || bytes === undefined) {
      skipped++
      continue
    }
    const key = `${site} ${monthOf(Number(seconds))}`
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(bytes))
  }
  return { sums: [...sums].map(([key, bytes]) => toSum(key, bytes)), skipped }
}

function toSum(key: string, bytes: bigint): SiteBytes {
  const [site = '', month = ''] = key.split(' ')
  return { site, month, bytes: String(bytes) }
}

const monthOf = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 7)}-01`
