import { type Line, linesOf } from './lines.ts'

// Folders that an .htaccess closes as a whole: to everyone, without an exception. Many applications
// bring such files for their data.

const isAll = (words: readonly string[], value: string): boolean =>
  words.join(' ').toLowerCase() === value

const isClosing = ({ name, words, section, isNegated }: Line): boolean =>
  section === undefined &&
  !isNegated &&
  ((name === 'require' && isAll(words, 'all denied')) ||
    (name === 'deny' && isAll(words, 'from all')))

// Admits someone, or for some files: more than a list of folders can say.
const isOpening = ({ name, words, isNegated }: Line): boolean =>
  name === 'allow' ||
  (name === 'satisfy' && !isAll(words, 'all')) ||
  (name === 'require' && (isNegated || !isAll(words, 'all denied')))

/** Returns whether a path is in a folder, or is that folder. */
export const isIn = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`)

/**
 * Returns the folders below the public one that files close as a whole. A folder in which a deeper
 * file admits someone is not among them.
 */
export function closedFolders(files: readonly { path: string; text: string }[]): string[] {
  const closed: string[] = []
  const opened: string[] = []
  for (const { path, text } of files) {
    const folder = path.replace(/\/\.htaccess$/, '')
    const lines = linesOf(text)
    if (lines.some(isOpening)) opened.push(folder)
    else if (folder !== '' && lines.some(isClosing)) closed.push(folder)
  }
  const whole = closed.filter(folder => !opened.some(below => isIn(below, folder)))
  return whole.filter(folder => !whole.some(above => above !== folder && isIn(folder, above)))
}
