import { z } from 'zod'
import { hasHidden } from '../grammar/characters.ts'

// Filters of a mailbox: which of its messages go to a folder, or are deleted. The first one that a
// message meets decides. People write one in a line: `subject invoice -> Bills`.

const maxFilters = 50

const contains = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine(text => !hasHidden(text), 'must not contain control or invisible characters')
  .refine(text => !text.includes('->'), 'must not contain ->')

// Dovecot makes a folder below another of each part between dots.
const folder = z
  .string()
  .max(100, 'must have at most 100 characters')
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} _-]*(?:\.[\p{L}\p{N}][\p{L}\p{N} _-]*)*$/u,
    'must be of letters, digits, spaces, hyphens and underscores, with dots for folders in folders',
  )

const headers = ['from', 'to', 'subject'] as const

const Filter = z.strictObject({
  header: z.enum(headers).describe('`to` is also Cc'),
  contains: contains.describe('The text that it has, in upper or lower case'),
  folder: folder.nullable().describe('The folder that the message goes to; null deletes it'),
})

/** Filters as callers send them, and as rows have them. */
export const Filters = z.array(Filter).max(maxFilters, `must be at most ${maxFilters} filters`)

export type Filters = z.infer<typeof Filters>

const deletes = 'delete'

/** Filters as people write them, one in a line. */
export const FilterLines = z
  .string()
  .max(15_000, 'must have at most 15000 characters')
  .transform((text, context) => {
    const filters: unknown[] = []
    for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
      const wrong = (words: string) =>
        context.addIssue({ code: 'custom', message: `is wrong in line ${index + 1}: ${words}` })
      if (line.trim() === '') continue
      const found = /^\s*(\w+)\s+(.+?)\s*->\s*(.*?)\s*$/.exec(line)
      if (found === null) {
        wrong('write, for example, subject invoice -> Bills')
        continue
      }
      const [, header = '', contains, target] = found
      const given = { header: header.toLowerCase(), contains }
      const parsed = Filter.safeParse({ ...given, folder: target === deletes ? null : target })
      if (parsed.success) filters.push(parsed.data)
      else wrong(wordsOf(parsed.error))
    }
    return filters
  })
  .pipe(Filters)

function wordsOf({ issues: [issue] }: z.ZodError): string {
  const field = String(issue?.path[0])
  if (field === 'header') return `it begins with ${headers.join(', ')}`
  return `${field === 'contains' ? 'the text' : 'the folder'} ${issue?.message}`
}

/** Renders filters as people write them. */
export const toLines = (filters: Filters): string =>
  filters.map(one => `${one.header} ${one.contains} -> ${one.folder ?? deletes}\n`).join('')
