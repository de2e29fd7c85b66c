import { z } from 'zod'
import { toWords } from '../http/request.ts'
import { shown, t, type Text } from './texts/texts.ts'
import { capital } from './words.ts'

// The fields of a form: the texts that a person reads, and the grammar of the typed values.

const itemsIn = (text: string): string[] => [
  ...new Set(text.split(/[\s,]+/).filter(one => one !== '')),
]

/** Parses a list, with items on lines or between commas, each once. */
export const listOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .optional()
    .transform(text => itemsIn(text ?? ''))
    .pipe(schema as unknown as z.ZodType<z.output<Schema>, string[]>)

type Kind =
  | 'text'
  | 'email'
  | 'password'
  | 'number'
  | 'date'
  | 'select'
  | 'several'
  | 'checkbox'
  | 'textarea'
  | 'hidden'

export type Field<Schema extends z.ZodType = z.ZodType> = {
  label: Text
  schema: Schema
  kind: Kind
  /** Its names in the write, if they differ from its name here: refusals are about these. */
  inputs?: readonly string[]
  /** A sentence below it. */
  hint?: Text
  /** An example; API calls next to empty forms have it too. */
  example?: string
  unit?: Text
  /** Whether its label names several things, which «are required». */
  isPlural?: true
  autocomplete?: string
  /** Returns what a typed text means, such as the name in a copied address. */
  reads?: (text: string) => string
  /** Matches values that are not shown again if they were typed by mistake. */
  conceals?: RegExp
}

type More = Partial<Omit<Field, 'label' | 'schema' | 'kind'>>

const of =
  (kind: Kind) =>
  <Schema extends z.ZodType>(label: Text, schema: Schema, more: More = {}): Field<Schema> => ({
    label,
    schema,
    kind,
    ...more,
  })

export const text = of('text')
export const email = of('email')
/** A field whose value is never shown again. */
export const password = of('password')
export const number = of('number')
export const date = of('date')
/** Its options are loaded with the form. */
export const select = of('select')
/** Any number of its options, which are loaded with the form; one text, with commas. */
export const several = of('several')
export const checkbox = of('checkbox')
export const textarea = of('textarea')
export const hidden = of('hidden')

export type Fields = Record<string, Field>

/** The values of the fields, by their schemas. */
export type Values<Of extends Fields> = { [Name in keyof Of]: z.output<Of[Name]['schema']> }

/** The values as typed, to be shown again. */
export type Typed = Record<string, string>

/** Sentences by field. */
export type Errors = Record<string, string>

/** Validates the typed values; an empty field is one without a value. */
export function parseFields<Of extends Fields>(
  fields: Of,
  body: URLSearchParams,
): { typed: Typed; values: Values<Of>; errors: Errors } {
  const typed: Typed = {}
  const given: Record<string, unknown> = {}
  const shape: Record<string, z.ZodType> = {}
  for (const [name, field] of Object.entries(fields)) {
    const { kind, schema, conceals } = field
    const all = body.getAll(name)
    const text = kind === 'several' ? all.join() : (all[0] ?? '')
    if (kind !== 'password' && conceals?.test(text) !== true) typed[name] = text
    given[name] = kind === 'several' ? all : meant(field, text)
    shape[name] = schema
  }
  const parsed = z.object(shape).safeParse(given, {
    error: issue =>
      isLeftOut(issue) && fields[String(issue.path?.[0])]?.isPlural
        ? t('forms.areRequired')
        : toWords(issue),
  })
  const errors: Errors = {}
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0])
    const { label } = fields[name]!
    const item = path.length > 1 ? itemsIn(typed[name] ?? '')[Number(path[1])] : undefined
    errors[name] ??=
      item === undefined
        ? `${capital(shown(label))} ${message}`
        : `“${item.slice(0, 80)}” ${message}`
  }
  return { typed, values: (parsed.data ?? {}) as Values<Of>, errors }
}

/** Returns the values of the fields before they are validated; passwords are not shown. */
export const meantIn = (fields: Fields, body: URLSearchParams): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, { kind }]) => kind !== 'password')
      .map(([name, field]) => {
        const all = body.getAll(name)
        return [name, field.kind === 'several' ? all : meant(field, all[0] ?? '')]
      }),
  )

// Browsers send line breaks as CR LF, whatever was typed.
function meant({ kind, reads }: Field, text: string): unknown {
  if (kind === 'checkbox') return text !== ''
  if (text === '') return undefined
  if (kind === 'textarea') return text.replaceAll('\r\n', '\n')
  if (kind === 'password') return text
  const trimmed = reads === undefined ? text.trim() : reads(text)
  return kind === 'number' && /^-?[0-9]+(\.[0-9]+)?$/.test(trimmed) ? Number(trimmed) : trimmed
}

const isLeftOut = ({ code, input }: z.core.$ZodRawIssue): boolean =>
  code === 'invalid_type' && input === undefined
