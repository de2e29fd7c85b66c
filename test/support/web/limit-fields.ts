import { limits } from '../../../src/model/sellers/package-limits.ts'

/** What the form of a package is filled in with for a new one; boxes are not ticked. */
export const limitFields: Record<string, string> = Object.fromEntries(
  limits.flatMap(({ name, range, initial }) => (range === undefined ? [] : [[name, `${initial}`]])),
)
