/** Formats a table of Markdown, with columns padded to one width as prettier does. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [head, ...rows]
  const widths = head.map((_, at) => Math.max(...cells.map(row => row[at]!.length)))
  const toLine = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |\n`
  return [head, widths.map(width => '-'.repeat(width)), ...rows].map(toLine).join('')
}

/** Replaces the table of a page that has these heads. */
export function withTable(
  page: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const table = new RegExp(`^\\| ${head.join(' +\\| ')} +\\|\\n(\\|.*\\n)+`, 'm')
  if (!table.test(page)) throw new Error(`The page has no table of ${head.join(', ')}`)
  return page.replace(table, () => markdownTable(head, rows))
}
