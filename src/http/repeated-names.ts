// Names that a caller sends twice: which value counts would be anybody's guess.

/** Those that come again, each time that they do. */
export function repeated(names: string[]): string[] {
  const seen = new Set<string>()
  return names.filter(name => seen.size === seen.add(name).size)
}

/** Those of a JSON text, whose value this is: of a name that comes twice it has the last. */
export function repeatedIn(text: string, value: unknown): string[] {
  const names = namesIn(text)
  return names.length === countNames(value) ? [] : repeated(names)
}

// In what is known to be JSON, a text before a colon is the name of a field.
const namesIn = (text: string): string[] =>
  (text.match(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g) ?? [])
    .filter(token => token.endsWith(':'))
    .map(token => JSON.parse(token.slice(0, -1)))

// Not recursive, because a body may be nested thousands deep.
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
