/** Orders versions; returns a negative number if the first is older. */
export function compareVersions(one: string, other: string): number {
  const [ours, theirs] = [one, other].map(version => version.split('.').map(Number))
  const at = ours!.findIndex((part, index) => part !== theirs![index])
  return at < 0 ? 0 : ours![at]! - theirs![at]!
}

/** Returns the newest of these; undefined for none. */
export const newestOf = (versions: readonly string[]): string | undefined =>
  versions.toSorted(compareVersions).at(-1)
