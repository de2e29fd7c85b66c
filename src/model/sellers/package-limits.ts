import { z } from 'zod'
import { phpVersion } from '../sites/php-settings.ts'

// The limits of packages. Each row describes a column of panel.packages (sql/migrations), and has
// the column's name. The schemas of the API and of the machine, the database functions that name
// the columns, the options of the command line, the fields and columns of pages, and the table and
// examples of the reference derive from these rows.

type Row = {
  /** The value in a new package: the default of the column. */
  initial: number | boolean | string | readonly string[]
  /** The smallest and the largest number: the check of the column. */
  range?: readonly [min: number, max: number]
  /** The grammar of each item and the maximum number of items of a list. */
  list?: { item: z.ZodType<string, string>; max: number; placeholder: string }
  /** The values of a choice. */
  choices?: readonly [string, ...string[]]
  unit?: 'MB' | '%' | 's' | 'min'
  /** Describes the limit in the reference and in the command line's help. */
  meaning: string
  /** Describes the field of an answer. */
  note?: string
  /** The label of the form's field, and a sentence below the field. */
  label: string
  hint?: string
  /** The heading of the column in lists of packages; without it, lists leave the limit out. */
  column?: { page: string; cli: string }
  /** The value in examples, if it is not that of a new package. */
  example?: number | boolean | string | readonly string[]
  /** Set for a limit on the number of rows of an account; the machine enforces the others. */
  counts?: { table: string; singular: string; plural?: string }
}

const rows = {
  max_sites: {
    initial: 1,
    range: [0, 10_000],
    meaning: 'maximum number of websites',
    label: 'Websites',
    hint: 'Maximum number.',
    column: { page: 'Websites', cli: 'SITES' },
    example: 3,
    counts: { table: 'sites', singular: 'website' },
  },
  disk_mb: {
    initial: 1_024,
    range: [1, 10_000_000],
    unit: 'MB',
    meaning: 'disk quota in MB',
    label: 'Disk',
    column: { page: 'Disk', cli: 'DISK MB' },
    example: 2_048,
  },
  memory_mb: {
    initial: 512,
    range: [32, 1_048_576],
    unit: 'MB',
    meaning: 'memory limit in MB',
    label: 'Memory',
    column: { page: 'Memory', cli: 'MEMORY MB' },
  },
  cpu_percent: {
    initial: 100,
    range: [1, 6_400],
    unit: '%',
    meaning: 'CPU limit, 100 is one core',
    note: '100 is one core',
    label: 'Processor',
    hint: '100 is one core.',
    column: { page: 'Processor', cli: 'CPU %' },
  },
  sftp: {
    initial: true,
    meaning: 'whether SFTP is allowed',
    label: 'Allow SFTP',
    column: { page: 'SFTP', cli: 'SFTP' },
  },
  max_databases: {
    initial: 1,
    range: [0, 10_000],
    meaning: 'maximum number of databases',
    label: 'Databases',
    hint: 'Maximum number.',
    column: { page: 'Databases', cli: 'DATABASES' },
    counts: { table: 'databases', singular: 'database' },
  },
  database_connections: {
    initial: 20,
    range: [1, 1_000],
    meaning: 'maximum simultaneous connections of each database user',
    note: 'Per database user',
    label: 'Database connections',
    hint: 'Maximum at a time, per database user.',
  },
  php_allowed: {
    initial: [],
    list: { item: phpVersion, max: 20, placeholder: 'VERSION' },
    meaning: 'allowed versions of PHP, the default first; empty allows every version',
    note: "The first is the default; empty allows all, with the server's default",
    label: 'Versions of PHP',
    hint: 'Such as 8.2, 8.4: the first is the default. Empty, all that are installed.',
  },
  php_execution_seconds: {
    initial: 300,
    range: [1, 300],
    unit: 's',
    meaning: 'maximum seconds of a PHP request',
    label: 'Time of a PHP request',
    hint: 'Maximum, computing or waiting.',
  },
  php_extensions: {
    initial: true,
    meaning: 'whether extensions of PHP can be switched on and off',
    label: 'Allow to switch extensions of PHP on and off',
  },
  max_cron_jobs: {
    initial: 20,
    range: [0, 200],
    meaning: 'maximum number of cron jobs',
    label: 'Cron jobs',
    hint: 'Maximum number.',
    counts: { table: 'cron_jobs', singular: 'cron job' },
  },
  cron_interval_minutes: {
    initial: 1,
    range: [1, 1_440],
    unit: 'min',
    meaning: 'minimum minutes between two starts of a scheduled command',
    note: 'Minimum between two starts of a scheduled command',
    label: 'Interval of cron jobs',
    hint: 'The minimum between two starts of one job.',
  },
  cron_run_minutes: {
    initial: 720,
    range: [1, 10_080],
    unit: 'min',
    meaning: 'maximum minutes that a scheduled command runs',
    note: 'A scheduled command that runs longer is ended',
    label: 'Run time of cron jobs',
    hint: 'A run that takes longer is ended.',
  },
  max_aliases: {
    initial: 20,
    range: [0, 10_000],
    meaning: 'maximum number of aliases of all websites',
    label: 'Aliases',
    hint: 'Maximum number of further names of all websites.',
    counts: { table: 'site_aliases', singular: 'alias', plural: 'aliases' },
  },
  mails_per_hour: {
    initial: 100,
    range: [0, 100_000],
    meaning: 'maximum recipients an hour of mail that the account sends',
    note: 'Recipients, of all mail that is sent',
    label: 'Mail per hour',
    hint: 'Maximum recipients of all mail that is sent; 0 for no mail.',
  },
  max_mailboxes: {
    initial: 5,
    range: [0, 10_000],
    meaning: 'maximum number of addresses with a mailbox; 0 for no mail domains',
    label: 'Mailboxes',
    hint: 'Maximum number; 0 for no mail domains.',
    counts: { table: 'mailboxes', singular: 'mailbox', plural: 'mailboxes' },
  },
  mail_catch_all: {
    initial: false,
    meaning: 'whether a mail domain can have an address for all unknown ones',
    label: 'Allow catch-all addresses',
  },
  backups: {
    initial: 'daily',
    choices: ['none', 'daily', 'hourly'],
    meaning: 'how often accounts are backed up',
    label: 'Backups',
  },
  keep_daily: {
    initial: 7,
    range: [0, 366],
    meaning: 'number of days for which the last backup is kept',
    label: 'Days with a backup',
    hint: 'The last backup of each is kept; the newest of all always is.',
  },
  keep_weekly: {
    initial: 4,
    range: [0, 520],
    meaning: 'number of weeks for which the last backup is kept',
    label: 'Weeks with a backup',
  },
  keep_monthly: {
    initial: 0,
    range: [0, 120],
    meaning: 'number of months for which the last backup is kept',
    label: 'Months with a backup',
  },
} as const satisfies Record<string, Row>

type Rows = typeof rows
export type LimitName = keyof Rows

type NamesWith<Part> = {
  [Name in LimitName]: Rows[Name] extends Part ? Name : never
}[LimitName]

/** Limits on the number of something that an account has. */
export type CountName = NamesWith<{ counts: object }>

/** The tables whose rows they count. */
export type CountedTable = Rows[CountName]['counts']['table']

/** The limits of a package. */
export type Limits = { [Name in LimitName]: Value<Rows[Name]['initial']> }

type Value<Initial> = Initial extends boolean
  ? boolean
  : Initial extends number
    ? number
    : Initial extends string
      ? string
      : string[]

export type Limit<Name extends string = LimitName> = Row & { name: Name }

/** All limits, in the order of answers. */
export const limits: readonly Limit[] = Object.entries(rows).map(([name, row]) => ({
  ...(row as Row),
  name: name as LimitName,
}))

export const countLimits = limits.filter(
  (
    limit,
  ): limit is Limit<CountName> & { counts: NonNullable<Row['counts']> & { table: CountedTable } } =>
    limit.counts !== undefined,
)

/** The columns of lists: first counts, then measures. */
export const listedLimits = [...countLimits, ...limits.filter(limit => !limit.counts)].flatMap(
  ({ column, ...limit }) => (column === undefined ? [] : [{ ...limit, column }]),
)

/** Builds a value for each limit; returns them by the limit's name. */
export const byLimit = <Of extends Record<LimitName, unknown>>(
  make: (limit: Limit) => unknown,
): Of => Object.fromEntries(limits.map(limit => [limit.name, make(limit)])) as Of

type Schemas = { [Name in LimitName]: z.ZodType<Limits[Name], Limits[Name]> }

/** The schemas of a package's limits in requests. */
export const limitSchemas = byLimit<Schemas>(({ range, list, choices }) => {
  if (choices !== undefined) return z.enum(choices, `must be one of ${choices.join(', ')}`)
  if (list !== undefined) return z.array(list.item).max(list.max, `must be at most ${list.max}`)
  if (range === undefined) return z.boolean('must be true or false')
  const [min, max] = range
  const words = `must be a whole number from ${min} to ${max}`
  return z.int(words).min(min, words).max(max, words)
})

/** The schemas of a package's limits in answers. */
export const answerSchemas = byLimit<Schemas>(({ range, list, choices, note }) => {
  if (choices !== undefined) return z.enum(choices)
  const schema = list ? z.array(z.string()) : range === undefined ? z.boolean() : z.int()
  return note === undefined ? schema : schema.describe(note)
})

/** The limits of a new package. */
export const initialLimits = byLimit<Limits>(({ initial }) => initial)

/** The limits of the example package, and the fields that a caller sends to set them. */
export const exampleLimits = byLimit<Limits>(({ initial, example = initial }) => example)
export const exampleFields: Partial<Limits> = Object.fromEntries(
  limits.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
)

// The account's record and the machine use camel case.
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

/** Returns the key of a limit in an account's record: `diskMb` for `disk_mb`. */
export const recordKey = (name: LimitName): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

type SchemasOf<Names extends LimitName> = {
  [Name in Names as Camel<Name>]: z.ZodType<Limits[Name], Limits[Name]>
}

const keyed = <Names extends LimitName>(some: readonly Limit[], schemas: Schemas) =>
  Object.fromEntries(
    some.map(({ name }) => [recordKey(name), schemas[name]]),
  ) as unknown as SchemasOf<Names>

/** The limits in an account's record. */
export const recordSchemas = keyed<LimitName>(limits, answerSchemas)

/** The limits that the machine enforces. */
export const hostSchemas = keyed<Exclude<LimitName, CountName>>(
  limits.filter(({ counts }) => counts === undefined),
  limitSchemas,
)
