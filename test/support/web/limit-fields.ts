import { limits } from '../../../src/model/sellers/package-limits.ts'

/** The values of a package's form for a new one; boxes are not ticked. */
export const limitFields: Record<string, string> = Object.fromEntries(
  limits.flatMap(({ name, range, list, choices, initial }) =>
    (range ?? list ?? choices) === undefined ? [] : [[name, `${initial}`]],
  ),
)
