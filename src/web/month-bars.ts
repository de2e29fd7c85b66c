import type { MonthOfUsage } from '../model/accounts/usage.ts'

// The last twelve months as bars, the present one marked; months without a figure are empty.

const names = ['J', 'F', 'M', 'A', 'M', 'J', 'J', 'A', 'S', 'O', 'N', 'D']

export function monthBars(months: MonthOfUsage[], now = new Date()) {
  const byMonth = new Map(months.map(({ month, mb }) => [month, mb]))
  const first = now.getUTCFullYear() * 12 + now.getUTCMonth() - 11
  return names.map((_, index) => {
    const month = (first + index) % 12
    const label = `${Math.floor((first + index) / 12)}-${String(month + 1).padStart(2, '0')}`
    const short = names[month]
    return { label, short, value: byMonth.get(label) ?? 0, isCurrent: index === 11 }
  })
}
