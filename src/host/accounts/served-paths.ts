import type { FolderLink } from '../contract.ts'

/** A folder that a website serves, and the path it is served under: '' is the public folder. */
type Part = { at: string; folder: string }

/** Returns a function from a file's path to the path that it is served under, or undefined. */
export function servedPaths(
  resolved: string,
  links: readonly FolderLink[],
): (file: string) => string | undefined {
  const parts: Part[] = [{ at: '', folder: resolved }]
  const pathOf = (file: string): string | undefined => {
    for (const { at, folder } of parts) {
      if (file.startsWith(`${folder}/`)) return at + file.slice(folder.length)
    }
    return undefined
  }
  const sorted = links.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  // A link may be inside the target of another link.
  for (let count = 0; count < parts.length; count++) {
    const { at, folder } = parts[count] ?? { at: '', folder: resolved }
    for (const { path, target } of sorted) {
      if (!path.startsWith(`${folder}/`)) continue
      const served = at + path.slice(folder.length)
      // Visit each folder once: links may form a cycle.
      if (isOpen(`${served}/`) && pathOf(`${target}/`) === undefined) {
        parts.push({ at: served, folder: target })
      }
    }
  }
  return file => {
    const path = pathOf(file)
    return path !== undefined && isOpen(path) ? path : undefined
  }
}

// A folder whose name begins with a dot is not served, nor anything below it.
const isOpen = (path: string): boolean => !/\/\.(?!well-known\/|htaccess$)/.test(path)
