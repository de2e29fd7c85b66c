import { oneLine } from '../foreign-text.ts'

// Text in a place of a certain width. Only what surely takes one column counts as one, so that a
// line may end early and never runs over.

const ellipsis = '…'

/** The text in so many columns: filled up with spaces, or cut. */
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

// Below are Latin, Greek, Cyrillic and the like; then quotes and dashes; then bars.
const isNarrow = (code: number): boolean =>
  code < 0x1100 || (code >= 0x2010 && code <= 0x2027) || (code >= 0x2580 && code <= 0x259f)
