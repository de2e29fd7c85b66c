import { z } from 'zod'

// What the server can't do for an account now: code goes by the code, people read the sentence.

/** Codes of services that are down: true of the moment, and of every account. */
const serviceCodes = ['websites_down', 'sftp_down', 'databases_down'] as const

const ownCodes = [
  // No quota holds the account's files back.
  'disk_not_limited',
  // No control group holds its processes back.
  'memory_not_limited',
  // More memory is in use than the new limit, so that the old one stays.
  'memory_limit_kept',
  // Sessions and cron jobs come under the limits late.
  'limits_delayed',
  'site_folders_missing',
  'removed_site_folders_kept',
  // The last change could not be undone completely (complete_account.sql).
  'half_undone',
  // The disk is full, so that nothing is written to databases (kinds/databases.ts).
  'databases_frozen',
] as const

export type WarningCode = (typeof serviceCodes)[number] | (typeof ownCodes)[number]

export type Warning = { code: WarningCode; sentence: string }

/** A warning as rows have it; an earlier or later release may have others. */
export const WarningRow = z.strictObject({ code: z.string(), sentence: z.string() })

export type WarningRow = z.infer<typeof WarningRow>

/** Whether a service is down, which ends without an operation of the account. */
export const isOfService = ({ code }: WarningRow): boolean =>
  (serviceCodes as readonly string[]).includes(code)

/** Whether it is about MariaDB. */
export const isOfDatabases = ({ code }: WarningRow): boolean =>
  code === ('databases_down' satisfies WarningCode)

/** Returns one warning for each code, the latest. */
export const merge = (...all: readonly WarningRow[][]): WarningRow[] => [
  ...new Map(all.flat().map(warning => [warning.code, warning])).values(),
]
