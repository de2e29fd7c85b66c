import type { Tone } from './words.ts'

// Messages about the effect of a form, at the top of the next page: they go there in a cookie.

/** `bad`: the change failed. `warn`: it was made, with a caveat. */
export type Flash = { tone: Extract<Tone, 'good' | 'warn' | 'bad'>; sentence: string }

// With the tone before it this is the most that the cookie may have (session-cookie.ts).
const maxBytes = 440

/** Encodes a message for the cookie; a sentence alone has the tone `good`. */
export function writeFlash(flash: string | Flash): string {
  const { tone, sentence } = typeof flash === 'string' ? { tone: 'good', sentence: flash } : flash
  return Buffer.from(`${tone} ${cut(sentence)}`).toString('base64url')
}

export function readFlash(value: string | undefined): Flash | undefined {
  const text = Buffer.from(value ?? '', 'base64url').toString()
  const [, tone, sentence] = /^(good|warn|bad) (.+)$/s.exec(text) ?? []
  return sentence === undefined ? undefined : { tone: tone as Flash['tone'], sentence }
}

function cut(sentence: string): string {
  const bytes = Buffer.from(sentence)
  if (bytes.length <= maxBytes) return sentence
  // Drops a character that was cut in half.
  return `${bytes.toString('utf8', 0, maxBytes - 3).replace(/\ufffd+$/, '')}…`
}
