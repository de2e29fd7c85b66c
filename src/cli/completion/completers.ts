import { Option } from 'clipanion'
import type { Kind } from '../../model/grammar/known-words.ts'

/** The values of an argument or option: fixed words, names or ids of the database, or a file. */
export type Completer = readonly string[] | Kind | 'files'

const completers = new WeakMap<object, Completer>()

/** Says how shells complete an argument, or the value of an option. */
export function completing<Value>(by: Completer, option: Value): Value {
  // Clipanion types its definition of an option as the option's value.
  completers.set(option as object, by)
  return option
}

/** Returns the completer that was set with `completing`; without one, no words. */
export const completerOf = (option: object): Completer => completers.get(option) ?? []

/** Defines a required argument that shells complete. */
export const argument = (name: string, by: Completer): string =>
  completing(by, Option.String({ name }))

/** Defines an optional argument that shells complete. */
export const optionalArgument = (name: string, by: Completer): string | undefined =>
  completing(by, Option.String({ name, required: false }))

/** Defines an option that may be left out, with a value that shells complete. */
export const option = (flag: string, by: Completer, description: string): string | undefined =>
  completing(by, Option.String(flag, { description }))
