import { z } from 'zod'
import { merge } from './merge-patch.ts'
import { phpDefaults, phpExtension, phpFields as fields, type PhpSettings } from './php-settings.ts'

// PHP settings of a website as callers send and read them.

const nullish = <Schema extends z.ZodType>(schema: Schema, text: string) =>
  schema.nullish().describe(text)

/** A change of PHP settings: what it leaves out is kept, and null restores the default. */
export const PhpChange = z.strictObject({
  version: nullish(fields.version, 'An installed version that the package allows'),
  memory_limit_mb: nullish(fields.memory_limit_mb, "At most the package's memory"),
  upload_max_mb: nullish(fields.upload_max_mb, 'At most `post_max_mb`'),
  post_max_mb: nullish(fields.post_max_mb, 'MB of a whole request'),
  max_execution_seconds: nullish(
    fields.max_execution_seconds,
    "Seconds of computing; at most the package's",
  ),
  max_input_vars: nullish(fields.max_input_vars, 'Fields of a form'),
  display_errors: nullish(fields.display_errors, 'Whether visitors see errors'),
  timezone: nullish(fields.timezone, 'A time zone of the IANA'),
  extensions: nullish(
    z.record(phpExtension, z.boolean('must be true or false').nullable()),
    'Installed extensions to switch on (true) or off (false), or as usual (null)',
  ),
})

export type PhpChange = z.infer<typeof PhpChange>

/** PHP settings as answers show them: null where PHP or the server has a default of its own. */
export const PhpView = z.strictObject({
  version: z.string().nullable().describe('Null for the default of the package, or of the server'),
  memory_limit_mb: z.int().nullable().describe("Null for 256, or the package's memory if less"),
  upload_max_mb: z.int(),
  post_max_mb: z.int(),
  max_execution_seconds: z.int(),
  max_input_vars: z.int(),
  display_errors: z.boolean().nullable(),
  timezone: z.string().nullable(),
  extensions: z.record(z.string(), z.boolean()),
})

export type PhpView = z.infer<typeof PhpView>

/** Converts stored settings to their form in answers. */
export const toPhpView = (settings: PhpSettings = {}): PhpView => ({
  version: settings.version ?? null,
  memory_limit_mb: settings.memory_limit_mb ?? null,
  upload_max_mb: settings.upload_max_mb ?? phpDefaults.upload_max_mb,
  post_max_mb: settings.post_max_mb ?? phpDefaults.post_max_mb,
  max_execution_seconds: settings.max_execution_seconds ?? phpDefaults.max_execution_seconds,
  max_input_vars: settings.max_input_vars ?? phpDefaults.max_input_vars,
  display_errors: settings.display_errors ?? null,
  timezone: settings.timezone ?? null,
  extensions: settings.extensions ?? {},
})

/** Returns the settings that have a rule together, after a change; null restores the defaults. */
export function phpAfter(before: PhpView, change: PhpChange | null | undefined) {
  if (change === null) return toPhpView()
  const { upload_max_mb: upload, post_max_mb: post, extensions } = change ?? {}
  return {
    upload_max_mb: upload === null ? phpDefaults.upload_max_mb : (upload ?? before.upload_max_mb),
    post_max_mb: post === null ? phpDefaults.post_max_mb : (post ?? before.post_max_mb),
    extensions: merge(before.extensions, extensions),
  }
}

const { memory_limit_mb: _, ...fixedDefaults } = phpDefaults

/** Converts a change to the patch of the stored settings: a default is stored as nothing. */
export const toPhpPatch = (change: PhpChange): object =>
  Object.fromEntries(
    Object.entries(change)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        value === (fixedDefaults as Record<string, unknown>)[name] ? null : value,
      ]),
  )
