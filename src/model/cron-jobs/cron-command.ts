import { z } from 'zod'
import { hasHidden } from '../grammar/characters.ts'

/**
 * A command of a cron job: one line for sh, without a per cent sign, which crontab(5) reads as the
 * end of the line.
 */
export const cronCommand = z
  .string()
  .min(1, 'must not be empty')
  .max(1_000, 'must have at most 1000 characters')
  .refine(text => !/[\r\n]/.test(text), { error: 'must be one line', abort: true })
  .refine(text => !text.includes('%'), {
    error: 'must not contain %, which ends a command in a crontab: call a script that contains it',
    abort: true,
  })
  .refine(text => text === text.trim(), {
    error: 'must not begin or end with a space',
    abort: true,
  })
  .refine(text => !hasHidden(text), 'must not contain invisible characters')
