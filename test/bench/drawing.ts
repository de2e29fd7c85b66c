import { boundText, figure, type Measured } from './report.ts'
import type { Result } from './row.ts'

// Two bars for each figure, scaled by the longer of the two, because their ratio counts.

const width = 760
const barsAt = 20
const barsWidth = 560
const rowHeight = 78

/** All figures as one SVG, readable on a light and on a dark page. */
export function draw(rows: Measured[]): string {
  const results = rows.flatMap(row => row.results)
  const height = 40 + results.length * rowHeight
  const bars = results.map((result, index) => drawResult(result, 40 + index * rowHeight)).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" \
width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="${width}" height="${height}" rx="6" fill="#fff"/>
<rect x="${barsAt}" y="14" width="12" height="12" fill="#9aa5b1"/>
<text x="${barsAt + 18}" y="25" fill="#333">floor: the unavoidable work alone</text>
<rect x="${barsAt + 240}" y="14" width="12" height="12" fill="#2f6fde"/>
<text x="${barsAt + 258}" y="25" fill="#333">panel</text>
${bars}</svg>
`
}

function drawResult(result: Result, top: number): string {
  const { what, unit, floor, ours, ratio, bound, isMet } = result
  const longest = Math.max(floor, ours)
  const verdict = `${ratio.toFixed(2)} (${boundText(bound)})`
  return `<text x="${barsAt}" y="${top + 18}" fill="#111" font-weight="600">${what}, ${unit}</text>
${drawBar(floor, longest, top + 26, '#9aa5b1')}${drawBar(ours, longest, top + 46, '#2f6fde')}\
<text x="${width - 20}" y="${top + 18}" fill="${isMet ? '#1a7f37' : '#c62828'}" \
text-anchor="end">${verdict}</text>
`
}

function drawBar(value: number, longest: number, top: number, colour: string): string {
  const length = Math.max(1, Math.round((value / longest) * barsWidth))
  return `<rect x="${barsAt}" y="${top}" width="${length}" height="16" fill="${colour}"/>
<text x="${barsAt + length + 8}" y="${top + 13}" fill="#333">${figure(value)}</text>
`
}
