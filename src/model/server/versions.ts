/** Orders versions; negative where the first is the older one. */
export function compareVersions(one: string, other: string): number {
  const [ours, theirs] = [one, other].map(version => version.split('.').map(Number))
  const at = ours!.findIndex((part, index) => part !== theirs![index])
  return at < 0 ? 0 : ours![at]! - theirs![at]!
}

/** The newest of these; undefined where there is none. */
export const newestOf = (versions: readonly string[]): string | undefined =>
  versions.toSorted(compareVersions).at(-1)
