// The folders in which nginx finds the redirects of a website: one for each name in their paths and
// targets.

/** The maximum number of these folders: each is a block of 4 KiB on the disk. */
export const maxRedirectFolders = 3_000

export const tooManyFolders =
  `must have at most ${maxRedirectFolders} names between slashes together, ` +
  'counting those with the same beginning once'

type Redirects = Readonly<Record<string, { to: string; code: number }>>

/** Returns whether redirects have too many names between slashes. */
export const haveTooManyFolders = (redirects: Redirects): boolean =>
  countFolders(redirects) > maxRedirectFolders

function countFolders(redirects: Redirects): number {
  const folders = new Set<string>()
  for (const [from, { to, code }] of Object.entries(redirects)) {
    for (const path of [`from${from}`, `${code}/${to}`]) {
      let folder = ''
      for (const name of path.split('/')) folders.add((folder += `/${name}`))
    }
  }
  return folders.size
}
