import { z } from 'zod'

// Schedules of crontab(5): five fields or a macro such as @daily. They are stored in one form that
// every cron reads alike: months and days are numbers.

type Part = { name: string; range: readonly [number, number]; names: readonly string[] }

const parts: readonly Part[] = [
  { name: 'minute', range: [0, 59], names: [] },
  { name: 'hour', range: [0, 23], names: [] },
  { name: 'day of the month', range: [1, 31], names: [] },
  {
    ...{ name: 'month', range: [1, 12] },
    names: ['', ...'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')],
  },
  // Sunday is both 0 and 7.
  { name: 'day of the week', range: [0, 7], names: 'sun mon tue wed thu fri sat'.split(' ') },
]

const macros = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
} as const

/** The schedule of a job that runs once after a boot. */
export const atStart = '@reboot'

/**
 * Longer than any readable schedule; a field that lists values can have thousands of characters.
 */
const maxLength = 200

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

class Unreadable extends Error {}

/**
 * A schedule in its stored form: five fields of numbers, lists, ranges and steps, or `@reboot`. The
 * grammar is that of crontab(5), with names in ranges and lists too.
 */
export const cronSchedule = z
  .string()
  .max(maxLength, `must have at most ${maxLength} characters`)
  .transform((text, context) => {
    try {
      return normalize(text)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      context.addIssue({ code: 'custom', message: error.message })
      return z.NEVER
    }
  })

function normalize(text: string): string {
  const given = text.trim().toLowerCase()
  if (given === atStart) return given
  if (given.startsWith('@')) {
    const fields = (macros as Record<string, string>)[given]
    if (fields === undefined) {
      throw new Unreadable(
        `can begin with @ only as ${[atStart, ...Object.keys(macros)].join(', ')}`,
      )
    }
    return fields
  }
  const fields = given.split(/[ \t]+/)
  if (fields.length !== parts.length) {
    throw new Unreadable(
      'must have five fields (minute, hour, day of the month, month, day of the week), ' +
        'such as */15 * * * *, or be a macro such as @daily',
    )
  }
  const read = fields.map((field, index) => readField(field, parts[index]!))
  refuseNever(read)
  return read.join(' ')
}

const readField = (field: string, part: Part): string =>
  field
    .split(',')
    .map(item => readItem(item, part))
    .join(',')

function readItem(item: string, part: Part): string {
  const { name, range } = part
  const [, first = '', last, step] =
    /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/([0-9]+))?$/.exec(item) ?? []
  const why = (words: string) => new Unreadable(`has “${item.slice(0, 20)}” as ${name}: ${words}`)
  if (first === '' || (first === '*' && last !== undefined)) {
    throw why('allowed are *, numbers, ranges such as 1-5, steps such as */15, and lists of them')
  }
  if (step !== undefined && first !== '*' && last === undefined) {
    throw why('a step must follow * or a range')
  }
  const maxStep = range[1] - range[0]
  if (step !== undefined && (Number(step) < 1 || Number(step) > maxStep)) {
    throw why(`a step must be 1 to ${maxStep}`)
  }
  const numberOf = (word: string, isEnd: boolean): number => {
    const named = part.names.indexOf(word)
    const value = /^[0-9]{1,2}$/.test(word) ? Number(word) : named
    if (value < range[0] || value > range[1] || word === '') {
      throw why(`it is ${range[0]} to ${range[1]}${part.names.length > 0 ? ', or a name' : ''}`)
    }
    // Sunday may end a range: fri-sun.
    return isEnd && named === 0 ? 7 : value
  }
  const tail = step === undefined ? '' : `/${Number(step)}`
  if (first === '*') return `*${tail}`
  const from = numberOf(first, false)
  if (last === undefined) return String(from)
  const to = numberOf(last, true)
  if (from > to) throw why('a range must ascend')
  return `${from}-${to}${tail}`
}

/** Returns the numbers that a field of the stored form matches. */
function valuesOf(field: string, [low, high]: readonly [number, number]): number[] {
  const values = field.split(',').flatMap(item => {
    const [span = '', step = '1'] = item.split('/')
    const [from = low, to = from] = span === '*' ? [low, high] : span.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter(
      value => (value - from) % Number(step) === 0,
    )
  })
  return [...new Set(values)].sort((one, other) => one - other)
}

/** Returns the numbers that a field of a stored schedule matches, in ascending order. */
export const valuesAt = (fields: readonly string[], index: number): number[] =>
  valuesOf(fields[index] ?? '*', parts[index]!.range)

// Refuses a day that no listed month has. With days of the week, either of the two is enough.
function refuseNever(fields: readonly string[]): void {
  if (fields[4] !== '*') return
  const first = valuesAt(fields, 2)[0] ?? 1
  const isEver = valuesAt(fields, 3).some(month => first <= (daysOfMonths[month - 1] ?? 0))
  if (!isEver) throw new Unreadable('never occurs: no such month has that day')
}

const dayNames = 'Sundays Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays'.split(' ')
const monthNames =
  'January February March April May June July August September October November December'.split(' ')

/** Describes a stored schedule in words: "every 15 minutes", "at 03:05 on Mondays". */
export function describeSchedule(schedule: string): string {
  if (schedule === atStart) return 'when the server has started'
  const fields = schedule.split(' ')
  const days = describeDays(fields)
  const time = describeTime(fields)
  if (days !== '') return `${time} ${days}`
  return /^at \d\d:/.test(time) ? `${time} every day` : time
}

function describeTime([minute = '*', hour = '*']: readonly string[]): string {
  const everyMinutes = /^\*\/([0-9]+)$/.exec(minute)?.[1]
  const everyHours = /^\*\/([0-9]+)$/.exec(hour)?.[1]
  const isOneMinute = /^[0-9]+$/.test(minute)
  const minutes =
    minute === '*'
      ? 'every minute'
      : everyMinutes !== undefined
        ? `every ${everyMinutes} minutes`
        : `at ${isOneMinute ? 'minute' : 'minutes'} ${listed(minute.split(','))}`
  if (hour === '*') return isOneMinute ? `every hour ${minutes}` : minutes
  if (everyHours !== undefined) {
    return isOneMinute
      ? `every ${everyHours} hours ${minutes}`
      : `${minutes}, every ${everyHours} hours`
  }
  const hours = valuesOf(hour, [0, 23])
  if (isOneMinute && hours.length <= 6) {
    return `at ${listed(hours.map(one => `${twoDigits(one)}:${twoDigits(Number(minute))}`))}`
  }
  return `${minutes}, in ${hours.length === 1 ? 'hour' : 'hours'} ${listed(hour.split(','))}`
}

function describeDays([, , day = '*', month = '*', weekday = '*']: readonly string[]): string {
  const dates = day === '*' ? '' : `on day ${listed(day.split(','))} of the month`
  const weekdays = weekday === '*' ? '' : `on ${listed(daysIn(weekday).map(one => dayNames[one]!))}`
  const months =
    month === '*' ? '' : `in ${listed(valuesOf(month, [1, 12]).map(one => monthNames[one - 1]!))}`
  const either = [dates, weekdays].filter(Boolean).join(' and ')
  return [either, months].filter(Boolean).join(' ')
}

const daysIn = (weekday: string): number[] => [
  ...new Set(valuesOf(weekday, [0, 7]).map(day => day % 7)),
]

const twoDigits = (value: number): string => String(value).padStart(2, '0')

const listed = (items: readonly string[]): string =>
  items.length <= 1 ? items.join() : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
