/** Returns a group of settings after a merge patch; null empties it. */
export const merge = <Value>(
  before: Readonly<Record<string, Value>>,
  change: Readonly<Record<string, Value | null>> | null | undefined,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(change === null ? {} : { ...before, ...change }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value] as const],
    ),
  )
