import { z } from 'zod'

// Warnings: what the server cannot do for an account now, as a code and a sentence.

/** The codes for services that are down: they apply now, to every account. */
const serviceCodes = ['websites_down', 'sftp_down', 'databases_down'] as const

const ownCodes = [
  // No disk quota limits the account.
  'disk_not_limited',
  // No control group limits the account's processes.
  'memory_not_limited',
  // More memory is in use than the new limit, so the old limit stays.
  'memory_limit_kept',
  // Sessions and cron jobs come under the limits late.
  'limits_delayed',
  'site_folders_missing',
  'removed_site_folders_kept',
  // Websites keep PHP settings that their package does not allow.
  'php_beyond_package',
  // The version of PHP that websites use is not installed.
  'php_version_missing',
  // The last change could not be undone completely (complete_account.sql).
  'half_undone',
  // The disk is full: writes are rejected until space is freed.
  'databases_frozen',
] as const

export type WarningCode = (typeof serviceCodes)[number] | (typeof ownCodes)[number]

export type Warning = { code: WarningCode; sentence: string }

/** A warning as rows have it; other releases may have other codes. */
export const WarningRow = z.strictObject({ code: z.string(), sentence: z.string() })

export type WarningRow = z.infer<typeof WarningRow>

/** Returns whether the warning is about a service that is down. It ends without an operation. */
export const isOfService = ({ code }: WarningRow): boolean =>
  (serviceCodes as readonly string[]).includes(code)

/** Returns the warnings about services that are down, each by the part of an account it affects. */
export const byService = (warnings: readonly WarningRow[]): Record<string, string> =>
  Object.fromEntries(
    warnings
      .filter(isOfService)
      .map(({ code, sentence }) => [code.slice(0, -'_down'.length), sentence]),
  )

/** Returns one warning for each code, the latest. */
export const merge = (...all: readonly WarningRow[][]): WarningRow[] => [
  ...new Map(all.flat().map(warning => [warning.code, warning])).values(),
]
