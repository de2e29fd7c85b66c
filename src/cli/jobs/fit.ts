import { oneLine } from '../foreign-text.ts'

// Text in a fixed number of columns. A character counts as two unless it surely takes one, so that
// a line may be short but never wraps.

const ellipsis = '…'

/** The text padded with spaces, or cut, to so many columns. */
export function fit(text: string, columns: number): string {
  const clean = oneLine(text)
  const width = widthOf(clean)
  if (width <= columns) return clean + ' '.repeat(columns - width)
  let cut = ''
  let taken = 0
  for (const character of clean) {
    taken += widthOf(character)
    if (taken > columns - 1) break
    cut += character
  }
  return columns < 1 ? '' : cut + ellipsis + ' '.repeat(columns - 1 - widthOf(cut))
}

function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += isNarrow(character.codePointAt(0) ?? 0) ? 1 : 2
  return width
}

// Latin, Greek, Cyrillic and the like; quotes and dashes; block characters.
const isNarrow = (code: number): boolean =>
  code < 0x1100 || (code >= 0x2010 && code <= 0x2027) || (code >= 0x2580 && code <= 0x259f)
