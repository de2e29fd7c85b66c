import { z } from 'zod'

// Text areas with one entry per line.

/** Why a line is no entry: a sentence whose subject is the line. */
class Refusal {
  readonly words: string

  constructor(words: string) {
    this.words = words
  }
}

export const refuseLine = (words: string): Refusal => new Refusal(words)

/**
 * Parses the lines of a text area, each to an entry of a record, or to the reason why it is none.
 * Empty lines are skipped.
 */
export const typedLines = <Entry>(parse: (line: string) => [string, Entry] | Refusal) =>
  z
    .string()
    .optional()
    .transform((typed, context): Record<string, Entry> => {
      const found: Record<string, Entry> = {}
      for (const line of (typed ?? '').split('\n').map(one => one.trim())) {
        if (line === '') continue
        const parsed = parse(line)
        if (parsed instanceof Refusal) {
          const message = `“${line.slice(0, 80)}”: ${parsed.words}`
          context.addIssue({ code: 'custom', message })
          return z.NEVER
        }
        found[parsed[0]] = parsed[1]
      }
      return found
    })
