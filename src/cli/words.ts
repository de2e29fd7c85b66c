import { z } from 'zod'

/** A number in digits; its range is checked by the schema of its resource kind. */
export const wholeNumber = z
  .string()
  // Up to 15 digits fit a JavaScript number exactly.
  .regex(/^[0-9]{1,15}$/, 'is not a whole number')
  .transform(Number)

/** Returns the option of a field: `--https-only` for `https_only`. */
export const optionOf = (field: string): string => `--${field.replaceAll('_', '-')}`

export const yesOrNo = z.stringbool({ truthy: ['yes'], falsy: ['no'], error: 'must be yes or no' })
