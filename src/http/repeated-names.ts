// Finds names that a caller sends twice: which value counts would be ambiguous.

/** Returns each repetition of a name. */
export function repeated(names: string[]): string[] {
  const seen = new Set<string>()
  return names.filter(name => seen.size === seen.add(name).size)
}

/** Returns the repeated names of a JSON text with this value, which has the last of each. */
export function repeatedIn(text: string, value: unknown): string[] {
  const names = namesIn(text)
  return names.length === countNames(value) ? [] : repeated(names)
}

// In valid JSON, a string before a colon is the name of a field.
const namesIn = (text: string): string[] =>
  (text.match(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g) ?? [])
    .filter(token => token.endsWith(':'))
    .map(token => JSON.parse(token.slice(0, -1)))

// Not recursive, because a body may be nested thousands of levels deep.
function countNames(value: unknown): number {
  let count = 0
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    const values = Object.values(next)
    if (!Array.isArray(next)) count += values.length
    for (const each of values) left.push(each)
  }
  return count
}
