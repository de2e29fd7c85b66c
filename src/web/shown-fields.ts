import type { Fields } from './fields.ts'
import type { State } from './form-state.ts'
import { shown, t } from './texts/texts.ts'

// The fields with which a form is drawn.

/** The data that a form loads before it is drawn. */
export type Loaded<Of extends Fields> = {
  /** The first values of the fields. */
  values?: { [Name in keyof Of]?: string | number | boolean | null }
  /** The choices, by field: a value, or a value with its own label. */
  options?: { [Name in keyof Of]?: readonly (string | { value: string; label: string })[] }
  /** Paragraphs above the fields: what will happen. */
  words?: readonly string[]
  /** Further facts that its template shows. */
  [fact: string]: unknown
}

/** Returns a form's fields with their values: at first the loaded ones, then the typed ones. */
export function shownFields(
  fields: Fields,
  loaded: Loaded<Fields>,
  { typed, errors = {}, isMistyped }: State,
  body: URLSearchParams,
) {
  const failed = Object.keys(fields).find(name => name in errors)
  return Object.entries(fields).map(([name, { schema, ...field }]) => ({
    ...field,
    label: shown(field.label),
    hint: field.hint && shown(field.hint),
    unit: field.unit && shown(field.unit),
    name,
    value: typed === undefined ? (loaded.values?.[name] ?? '') : (typed[name] ?? ''),
    options: loaded.options?.[name] ?? [],
    error:
      errors[name] ??
      (field.kind === 'password' && body.get(name) ? t('forms.passwordNotKept') : undefined),
    // A placeholder is hidden by the text that was typed over it.
    shownExample: isMistyped && name in errors ? field.example : undefined,
    isFocused: failed === name,
    isRequired: !schema.safeParse(undefined).success && field.kind !== 'checkbox',
  }))
}
