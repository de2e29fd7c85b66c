import type { FolderLink } from '../contract.ts'

/** A folder that a website serves, and under which path: '' is the public one. */
type Part = { at: string; folder: string }

/** Tells the path that a file is served under; undefined where it is none of the website's. */
export function servedPaths(
  place: string,
  links: readonly FolderLink[],
): (file: string) => string | undefined {
  const parts: Part[] = [{ at: '', folder: place }]
  const pathOf = (file: string): string | undefined => {
    for (const { at, folder } of parts) {
      if (file.startsWith(`${folder}/`)) return at + file.slice(folder.length)
    }
    return undefined
  }
  const sorted = links.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  // A link may be in what another one leads to.
  for (let count = 0; count < parts.length; count++) {
    const { at, folder } = parts[count] ?? { at: '', folder: place }
    for (const { path, target } of sorted) {
      if (!path.startsWith(`${folder}/`)) continue
      const served = at + path.slice(folder.length)
      // Each folder once: links may lead around in a circle.
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

// Nothing below a folder whose name begins with a dot is served.
const isOpen = (path: string): boolean => !/\/\.(?!well-known\/|htaccess$)/.test(path)
