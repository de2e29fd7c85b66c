import { UsageError } from 'clipanion'
import { z } from 'zod'

/**
 * Parses arguments and options, by their names on the command line (`NAME`, `--email`).
 *
 * @throws {UsageError} naming each that is wrong, but not its value, which may be a secret
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

/** A number in digits; its range is checked by the schema of its noun. */
export const wholeNumber = z
  .string()
  // Up to 15 digits fit a JavaScript number exactly.
  .regex(/^[0-9]{1,15}$/, 'is not a whole number')
  .transform(Number)
