import { z } from 'zod'

// Fields of events. Each schema is an allow-list: only the fields that it names can be sent to a
// receiver or a hook script.

// Longer than any text that the panel writes. Control characters affect terminals, and lone
// surrogates have no UTF-8.
export const text = z
  .string()
  .max(1_000, 'must have at most 1000 characters')
  .refine(given => !/[\p{Cc}\p{Cs}]/u.test(given), 'must not contain control characters')

export const name = text.min(1, 'must not be empty')
