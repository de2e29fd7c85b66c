// Addresses within the panel, as pages make and take them.

/**
 * A path of our own with its query, as a form or an address hands it on; undefined for all that
 * could lead elsewhere. Browsers read `\` as `/`, and leave out tabs and line breaks.
 */
export const localPath = (text: string | null | undefined): string | undefined =>
  text && /^\/(?![/\\])[!-[\]-~]*$/.test(text) && text.length <= 2_000 ? text : undefined

/** Returns the address with other values in its query; undefined and empty ones are left out. */
export function withQuery(
  path: string,
  query: Record<string, string | number | undefined | null>,
): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') given.set(name, String(value))
  }
  const text = given.toString()
  return text === '' ? path : `${path}?${text}`
}

type NamesIn<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The names in a path like /accounts/:username, as they were sent, decoded. */
export type Params<Path extends string = string> = Record<NamesIn<Path>, string>

/** Fills in the names of a path such as /accounts/:username. */
export const fill = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
