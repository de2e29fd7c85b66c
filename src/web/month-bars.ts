import type { MonthOfUsage } from '../model/usage.ts'

// The last twelve months as bars, the present one marked; months without a figure are empty.

const names = ['J', 'F', 'M', 'A', 'M', 'J', 'J', 'A', 'S', 'O', 'N', 'D']

export function monthBars(months: MonthOfUsage[], now = new Date()) {
  const byMonth = new Map(months.map(({ month, mb }) => [month, mb]))
  return Array.from({ length: 12 }, (_, index) => {
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11 + index, 1))
    const label = at.toISOString().slice(0, 7)
    const short = names[at.getUTCMonth()]
    return { label, short, value: byMonth.get(label) ?? 0, isCurrent: index === 11 }
  })
}
