import truncatedWidth from 'fast-string-truncated-width'

// Text in columns of a terminal, where some characters take two.

const ellipsis = '…'

export const widthOf = (text: string): number => truncatedWidth(text).width

/** Cuts the text if it takes more columns. */
export function cut(text: string, columns: number): string {
  const { index, ellipsed } = truncatedWidth(text, { limit: columns, ellipsis, ellipsisWidth: 1 })
  return `${text.slice(0, index)}${ellipsed ? ellipsis : ''}`
}

export const pad = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - widthOf(text)))

/** Breaks the text into lines of so many columns, between words only. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && widthOf(longer) <= columns) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}
