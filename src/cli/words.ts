import { UsageError } from 'clipanion'
import { z } from 'zod'

/**
 * Parses what the command line said, under the names that it has there (`NAME`, `--email`).
 *
 * @throws {UsageError} naming each word that does not fit, never what was said
 */
export function parseWords<Schema extends z.ZodType>(
  schema: Schema,
  said: { [Word in keyof z.input<Schema>]: unknown },
): z.output<Schema> {
  const parsed = schema.safeParse(said)
  if (parsed.success) return parsed.data
  const sentences = parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`)
  throw new UsageError([...new Set(sentences)].join('; '))
}

/** A number in digits; what it may be, its noun says. */
export const wholeNumber = z
  .string()
  // As many digits as every number of JavaScript's holds.
  .regex(/^[0-9]{1,15}$/, 'is not a whole number')
  .transform(Number)
