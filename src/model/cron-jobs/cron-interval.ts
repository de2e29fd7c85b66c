import { atStart, valuesAt } from './cron-schedule.ts'

// The time between starts of a schedule, as cron computes them: in local time, without the hour
// that a change to or from summer time repeats or skips.

const dayMinutes = 1_440

/**
 * Returns the shortest time between two starts of a stored schedule, in minutes; Infinity if it is
 * longer than a day, and for a job that runs once after a boot.
 */
export function shortestInterval(schedule: string): number {
  if (schedule === atStart) return Infinity
  const fields = schedule.split(' ')
  const starts = valuesAt(fields, 1).flatMap(hour =>
    valuesAt(fields, 0).map(minute => hour * 60 + minute),
  )
  const gaps = starts.slice(1).map((start, index) => start - starts[index]!)
  // From the last start of a day to the first of the next one.
  const overnight = dayMinutes - starts.at(-1)! + starts[0]!
  const shortest = Math.min(Infinity, ...gaps)
  return overnight < shortest && hasConsecutiveDays(fields) ? overnight : shortest
}

// The calendar repeats after 28 years, apart from leap years of centuries.
const [firstDay, calendarDays] = [Date.UTC(2001, 0, 1), 28 * 366]

function hasConsecutiveDays(fields: readonly string[]): boolean {
  const [days, months, weekdays] = [2, 3, 4].map(index => new Set(valuesAt(fields, index)))
  // crontab(5): of a day of the month and a day of the week, either is enough if both are given.
  const isEither = ![fields[2], fields[4]].some(field => field?.startsWith('*'))
  const runsOn = (day: number): boolean => {
    const date = new Date(firstDay + day * 86_400_000)
    if (!months!.has(date.getUTCMonth() + 1)) return false
    const isDay = days!.has(date.getUTCDate())
    const weekday = date.getUTCDay()
    const isWeekday = weekdays!.has(weekday) || (weekday === 0 && weekdays!.has(7))
    return isEither ? isDay || isWeekday : isDay && isWeekday
  }
  let ranBefore = false
  for (let day = 0; day < calendarDays; day++) {
    const runs = runsOn(day)
    if (runs && ranBefore) return true
    ranBefore = runs
  }
  return false
}
