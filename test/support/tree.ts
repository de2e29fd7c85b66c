import { readdir, readFile, lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** Every file below a folder with its mode and content. */
export async function tree(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const found = await Promise.all(
    entries.map(async entry => {
      const path = join(entry.parentPath, entry.name)
      const { mode } = await lstat(path)
      const content = entry.isFile() ? await readFile(path, 'utf8') : ''
      return [path.slice(root.length), `${mode.toString(8)} ${content}`] as const
    }),
  )
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}
