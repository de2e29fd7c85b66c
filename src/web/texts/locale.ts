import { AsyncLocalStorage } from 'node:async_hooks'

// The language of the request in hand, and how it writes numbers and dates.

/** The languages that there are catalogues for; the first is the default. */
export const languages = ['en'] as const

export type Language = (typeof languages)[number]

// The tag for dates and numbers of each: «3 March 2026» in English.
const tags: Record<Language, string> = { en: 'en-GB' }

const store = new AsyncLocalStorage<Language>()

/** Runs a function whose texts are in this language, up to the end of what it awaits. */
export const inLanguage = <Result>(language: Language, run: () => Result): Result =>
  store.run(language, run)

/** Returns the language of the request in hand. */
export const language = (): Language => store.getStore() ?? languages[0]

/** Returns the tag for its dates and numbers. */
export const locale = (): string => tags[language()]

/** Returns the first of our languages that a browser asks for in `Accept-Language`. */
export function preferred(header: string | undefined): Language {
  const asked = (header ?? '').split(',').map(part => {
    const [tag = '', quality = ''] = part.split(';')
    return { tag: tag.trim().toLowerCase(), quality: Number(/q=([0-9.]+)/.exec(quality)?.[1] ?? 1) }
  })
  const best = asked.sort((one, other) => other.quality - one.quality)
  const found = best.map(({ tag }) => languages.find(one => tag.split('-')[0] === one))
  return found.find(one => one !== undefined) ?? languages[0]
}

// Made once: with a new one each time a page would spend most of its own time on its formats.
const once = <Made>(make: (tag: string) => Made) => {
  const made = new Map<Language, Made>()
  return (): Made => {
    const current = language()
    const known = made.get(current) ?? make(tags[current])
    made.set(current, known)
    return known
  }
}

const decimals = once(tag => new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }))

/** 1,284 */
export const number = (value: number): string =>
  // Most are small and whole, which looks the same and costs a hundredth.
  Number.isInteger(value) && value >= 0 && value < 1_000 ? `${value}` : decimals().format(value)

/** Returns a function that writes dates, in UTC, with these parts. */
export function dateFormat(parts: Intl.DateTimeFormatOptions): (at: Date) => string {
  const format = once(tag => new Intl.DateTimeFormat(tag, { ...parts, timeZone: 'UTC' }))
  return at => format().format(at)
}
