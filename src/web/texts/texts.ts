import { IntlMessageFormat } from 'intl-messageformat'
import { en } from './en/all.ts'
import type { Arguments, Value } from './arguments.ts'
import { language, number, type Language } from './locale.ts'
import { elementOf, escape, Markup, type Tag } from './markup.ts'

// The texts of pages. Each has a key, `topic.name`, and is an ICU message in the catalogue of its
// language: `t('sites.remove', { domain })`. docs/texts.md explains how to add texts and languages.

type Catalogue = typeof en

/** A catalogue of another language: the same keys, each with its own text. */
export type Translation = {
  [Topic in keyof Catalogue]: { [Name in keyof Catalogue[Topic]]: string }
}

/** `topic.name` of each text. */
export type Key = {
  [Topic in keyof Catalogue & string]: `${Topic}.${keyof Catalogue[Topic] & string}`
}[keyof Catalogue & string]

type TextOf<Of extends Key> =
  Of extends `${infer Topic extends keyof Catalogue & string}.${infer Name}`
    ? Name extends keyof Catalogue[Topic]
      ? Catalogue[Topic][Name] extends infer Text extends string
        ? Text
        : never
      : never
    : never

type Given<Of extends Key> = Arguments<TextOf<Of>>
type Required<All> = keyof All extends never ? [] : [given: All]

/** The keys of texts without arguments. */
export type PlainKey = {
  [Of in Key]: keyof Given<Of> extends never ? Of : never
}[Key]

/** A text that is written when it is shown: its key, or a function if it has arguments. */
export type Text = PlainKey | (() => string)

const catalogues: Record<Language, Translation> = { en }

const plurals = new Map<string, Intl.PluralRules>()

// Numbers look as everywhere on pages, and rules are made once.
const formatters = {
  getNumberFormat: () => ({ format: number }) as unknown as Intl.NumberFormat,
  getDateTimeFormat: () => {
    throw new Error('dates are given as texts')
  },
  getPluralRules(locale?: string | string[], options?: Intl.PluralRulesOptions) {
    const name = `${String(locale)} ${options?.type}`
    const rules = plurals.get(name) ?? new Intl.PluralRules(locale, options)
    plurals.set(name, rules)
    return rules
  },
}

type Values = Record<string, unknown>
type Compiled = string | ((given: Values) => string)

const messageOf = (of: Language, key: string): string => {
  const [topic = '', name = ''] = key.split('.')
  const texts: Partial<Record<string, Partial<Record<string, string>>>> = catalogues[of]
  const message = texts[topic]?.[name]
  if (message === undefined) throw new Error(`no text has the key ${key}`)
  return message
}

/** Returns a function that compiles each message at its first use. */
function compiling(compile: (message: string, of: Language) => Compiled) {
  const all: Record<Language, Map<string, Compiled>> = { en: new Map() }
  return (key: string): Compiled => {
    const of = language()
    const known = all[of].get(key)
    if (known !== undefined) return known
    const made = compile(messageOf(of, key), of)
    all[of].set(key, made)
    return made
  }
}

const isConstant = (icu: string): boolean => !/[{}<']/.test(icu)

const asText = compiling((message, of) => {
  if (isConstant(message)) return message
  const format = new IntlMessageFormat(message, of, undefined, { formatters, ignoreTag: true })
  const [first, ...more] = format.getAst()
  if (first?.type === 0 && more.length === 0) return first.value
  return given => String(format.format(given as Record<string, Value>))
})

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

/** Returns the names of the tags in a message, after escaping its literal texts. */
function escapeLiterals(elements: Element[]): string[] {
  return elements.flatMap(element => {
    if ('options' in element) {
      return Object.values(element.options).flatMap(({ value }) => escapeLiterals(value))
    }
    if ('children' in element) return [element.value, ...escapeLiterals(element.children)]
    // 0 is a literal text; all others are arguments.
    if (element.type === 0) element.value = escape(element.value)
    return []
  })
}

const asMarkup = compiling((message, of) => {
  if (isConstant(message)) return escape(message)
  const format = new IntlMessageFormat(message, of, undefined, { formatters })
  const tags = [...new Set(escapeLiterals(format.getAst()))]
  const plain = Object.fromEntries(tags.map(name => [name, elementOf(name)]))
  return given => {
    const values: Values = { ...plain }
    for (const [name, value] of Object.entries(given)) {
      if (name in plain) values[name] = elementOf(name, value as Tag)
      else if (value instanceof Markup) values[name] = value.html
      else values[name] = typeof value === 'string' ? escape(value) : value
    }
    return String(format.format(values as Record<string, Value>))
  }
})

/** Returns the text of a key in the language of the request in hand. */
export function t<Of extends Key>(key: Of, ...[given]: Required<Given<Of>>): string {
  const found = asText(key)
  return typeof found === 'string' ? found : found((given ?? {}) as Values)
}

type Marked<All> = { [Name in keyof All]: All[Name] | Markup } & Record<
  string,
  Value | Markup | Tag
>

/** Returns a text as markup: its tags are elements, and everything else is escaped. */
export function m<Of extends Key>(key: Of, given?: Marked<Given<Of>>): string {
  const found = asMarkup(key)
  return typeof found === 'string' ? found : found(given ?? {})
}

/** Keeps markup of another template from being escaped in `m`. */
export const raw = (html: string): Markup => new Markup(html)

/** Returns whether there is a text with this key. */
export const isKey = (key: string): key is Key => {
  const [topic = '', name = ''] = key.split('.')
  return Object.hasOwn(en, topic) && Object.hasOwn(en[topic as keyof Catalogue], name)
}

/** Writes a text that was defined before there was a request. */
export const shown = (text: Text): string => (typeof text === 'function' ? text() : t(text))
