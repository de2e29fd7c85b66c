import { z } from 'zod'
import { hasHidden } from '../grammar/characters.ts'

// A mailbox's answer to those who write to it while its user is away.

const message = z
  .string()
  .max(4_000, 'must have at most 4000 characters')
  .transform(text => text.replaceAll(/\r\n?/g, '\n').trim())
  .refine(text => text !== '', 'must not be empty')
  .refine(
    text => !hasHidden(text.replaceAll(/[\n\t]/g, ' ')),
    'must not contain control or invisible characters',
  )
  .pipe(z.string())

const subject = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine(text => !hasHidden(text), 'must not contain control or invisible characters')

const daysWords = 'must be a whole number from 1 to 30'

/** An autoresponder as callers send it, and as rows have it. */
export const Autoresponder = z.strictObject({
  subject,
  message,
  days: z
    .int(daysWords)
    .min(1, daysWords)
    .max(30, daysWords)
    .default(7)
    .describe('A sender gets it once in so many days'),
})

export type Autoresponder = z.infer<typeof Autoresponder>
