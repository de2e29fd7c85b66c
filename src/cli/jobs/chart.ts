// A bar chart of block characters: one column a value, in eighths of a line.

const eighths = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Draws the values as bars, the highest of them as high as there are lines. */
export function bars(values: readonly number[], lines: number): string[] {
  const max = Math.max(1, ...values)
  const heights = values.map(value => heightOf(value, max, lines))
  return Array.from({ length: lines }, (_line, fromTop) => {
    const below = (lines - 1 - fromTop) * 8
    return heights.map(height => eighths[Math.min(8, Math.max(0, height - below))]).join('')
  })
}

// Every value but 0 shows at least one eighth.
function heightOf(value: number, max: number, lines: number): number {
  return value === 0 ? 0 : Math.max(1, Math.round((value / max) * lines * 8))
}
