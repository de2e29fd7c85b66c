import { PanelError } from '../../errors.ts'

type Redirects = Readonly<Record<string, { to: string }>>

/**
 * Refuses redirects by path that lead back. nginx compares paths without their query and without a
 * slash at the end.
 *
 * @throws {PanelError} `invalid`
 */
export function refusePathLoops(redirects: Redirects, names: ReadonlySet<string>): void {
  for (const start of Object.keys(redirects)) {
    const seen = new Set<string>()
    for (let path: string | undefined = start; path !== undefined && path in redirects;) {
      if (seen.has(path)) {
        const words = `redirects: the redirect of ${start} would lead back`
        throw new PanelError('invalid', words, { field: 'redirects' })
      }
      seen.add(path)
      path = pathWithin(redirects[path]!.to, names)
    }
  }
}

/** Returns the path that a target has on the same website; nothing for another website. */
function pathWithin(target: string, names: ReadonlySet<string>): string | undefined {
  const { hostname, pathname } = new URL(target, 'http://path.invalid')
  if (hostname !== 'path.invalid' && !names.has(hostname)) return undefined
  const path = pathname === '/' ? pathname : pathname.replace(/\/$/, '')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
