import { z } from 'zod'

// The PHP settings of a website. A website with any of them has a PHP of its own; a missing key is
// the default of its account's PHP.

/** A version of PHP, as in the name of its package: `8.2`. */
export const phpVersion = z
  .string()
  .regex(/^[1-9][0-9]?\.[0-9]{1,2}$/, 'must be a version of PHP such as 8.2')

/** An extension of PHP, as in the name of its file. */
export const phpExtension = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,40}$/, 'must be the name of an extension such as gd')

const whole = (min: number, max: number) => {
  const words = `must be a whole number from ${min} to ${max}`
  return z.int(words).min(min, words).max(max, words)
}

/** The largest request that nginx accepts, in MB. */
export const maxRequestMb = 512

/** The maximum number of extensions that a website switches on or off. */
export const maxExtensions = 100

const extensions = z.record(phpExtension, z.boolean('must be true or false'))

const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])

/** The schema of each setting. */
export const phpFields = {
  version: phpVersion,
  memory_limit_mb: whole(8, 1_048_576),
  upload_max_mb: whole(1, maxRequestMb),
  post_max_mb: whole(1, maxRequestMb),
  max_execution_seconds: whole(1, 300),
  max_input_vars: whole(100, 100_000),
  display_errors: z.boolean('must be true or false'),
  timezone: z.string().refine(name => zones.has(name), 'must be a time zone such as Europe/Berlin'),
  /** Extensions that are switched on or off, in addition to those of the version. */
  extensions: extensions.refine(
    all => Object.keys(all).length <= maxExtensions,
    `must be at most ${maxExtensions} extensions`,
  ),
}

/** The stored PHP settings of a website. */
export const PhpSettings = z.strictObject(phpFields).partial()

/** The same while they are being changed: together they may be more than allowed. */
export const ChangingPhp = PhpSettings.extend({ extensions: extensions.optional() })

export type PhpSettings = z.infer<typeof PhpSettings>

/** The values that PHP has without settings, where the package's memory allows as much. */
export const phpDefaults = {
  memory_limit_mb: 256,
  upload_max_mb: 128,
  post_max_mb: 128,
  max_execution_seconds: 300,
  max_input_vars: 5_000,
} as const

/** Returns settings without empty parts; undefined if none is left: then no PHP is its own. */
export function ownPhp(settings: PhpSettings | undefined): PhpSettings | undefined {
  const { extensions = {}, ...rest } = settings ?? {}
  const hasExtensions = Object.keys(extensions).length > 0
  const own = { ...rest, ...(hasExtensions && { extensions }) }
  return Object.keys(own).length > 0 ? own : undefined
}
