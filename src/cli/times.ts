/** Returns a length of time in its largest fitting unit. */
export function duration(ms: number): string
export function duration(ms: number | null): string | null
export function duration(ms: number | null): string | null {
  if (ms === null) return null
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 119_500) return `${Math.round(ms / 1_000)} s`
  if (ms < 7_170_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_000_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} d`
}

/** Formats a time relative to now: `5 min ago`, `in 30 s`. */
export function relative(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime()
  return ms < 0 ? `in ${duration(-ms)}` : `${duration(ms)} ago`
}

/** Returns a time in UTC, to the minute. */
export const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')}Z`
