import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

// The list of the files that a backup has, as a run writes it when it reads a snapshot back: so
// they are shown at once, and by processes that know no key.

const ListedMailbox = z.strictObject({ mailbox: z.string(), files: z.int(), bytes: z.int() })
export type ListedMailbox = z.infer<typeof ListedMailbox>

/** The databases and mailboxes of a backup. */
export const Contents = z.strictObject({
  databases: z.array(z.strictObject({ database: z.string(), bytes: z.int() })),
  mailboxes: z.array(ListedMailbox),
})
export type Contents = z.infer<typeof Contents>

const types = { f: 'file', d: 'folder', l: 'link', o: 'other' } as const
type Letter = keyof typeof types

export const FileType = z.enum(Object.values(types))

/** One file or folder of the list, with its path in the home. */
export type ListedFile = {
  type: z.infer<typeof FileType>
  bytes: number
  /** In seconds since 1970. */
  modifiedAt: number
  path: string
}

const letters = Object.fromEntries(
  Object.entries(types).map(([letter, type]) => [type, letter]),
) as Record<ListedFile['type'], Letter>

/** Formats one line of the list: a path may contain anything but a null. */
export const toLine = ({ type, bytes, modifiedAt, path }: ListedFile): string =>
  `${letters[type]}\t${bytes}\t${modifiedAt}\t` +
  `${path.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`

function fromLine(line: string): ListedFile {
  const bytesAt = line.indexOf('\t', 2)
  const timeAt = line.indexOf('\t', bytesAt + 1)
  const path = line.slice(timeAt + 1)
  return {
    type: types[line[0] as Letter],
    bytes: Number(line.slice(2, bytesAt)),
    modifiedAt: Number(line.slice(bytesAt + 1, timeAt)),
    path: path.includes('\\') ? unescaped(path) : path,
  }
}

const unescaped = (path: string): string =>
  path.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one))

/** Reads a compressed list. */
export const readFileList = (compressed: Buffer): ListedFile[] =>
  gunzipSync(compressed).toString().split('\n').filter(Boolean).map(fromLine)

/** A file, or a folder with the files and bytes in it. */
export type Entry = Omit<ListedFile, 'path'> & { name: string; files: number }

/** Returns the content of a folder by name; undefined if the list has no such folder. */
export function listFolder(all: readonly ListedFile[], folder: string): Entry[] | undefined {
  const prefix = folder === '' ? '' : `${folder}/`
  const isThere = folder === '' || all.some(one => one.path === folder && one.type === 'folder')
  if (!isThere) return undefined
  const entries = new Map<string, Entry>()
  for (const { path, type, bytes, modifiedAt } of all) {
    if (!path.startsWith(prefix)) continue
    const [name = ''] = path.slice(prefix.length).split('/', 1)
    const isWithin = path.length > prefix.length + name.length
    const entry = entries.get(name) ?? { name, type: 'folder', bytes: 0, files: 0, modifiedAt: 0 }
    entries.set(name, entry)
    if (!isWithin) Object.assign(entry, { type, modifiedAt })
    if (type !== 'file') continue
    entry.files += 1
    entry.bytes += bytes
  }
  return [...entries.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Returns the sum of a file or folder; undefined if the list does not have it. */
export function sumOf(
  all: readonly ListedFile[],
  path: string,
): { type: ListedFile['type']; files: number; bytes: number } | undefined {
  const top = all.find(one => one.path === path)
  if (top === undefined) return undefined
  const within = all.filter(one => one === top || one.path.startsWith(`${path}/`))
  const files = within.filter(({ type }) => type === 'file')
  return { type: top.type, files: files.length, bytes: files.reduce((sum, f) => sum + f.bytes, 0) }
}
