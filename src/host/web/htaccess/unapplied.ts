import { type Around, countOrders, nameOf } from './directives.ts'
import { linesOf } from './lines.ts'
import { countRewrites, engineOf } from './rewriting.ts'

/**
 * Counts the rules of an .htaccess that are not applied here, by directive, the most frequent
 * first.
 */
export function unappliedIn(text: string, around: Around): Record<string, number> {
  const lines = linesOf(text)
  const counts = new Map<string, number>()
  const rewrites = countRewrites(lines, around)
  if (rewrites > 0) counts.set('RewriteRule', rewrites)
  const orders = countOrders(lines, around)
  if (orders > 0) counts.set('Order', orders)
  for (const line of lines) {
    const name = line.name === 'rewriterule' ? undefined : nameOf(line, around)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other - one))
}

/** Returns whether an .htaccess switches its folder's rewriting on or off; undefined if neither. */
export const engineIn = (text: string): boolean | undefined =>
  /rewriteengine/i.test(text) ? engineOf(linesOf(text)) : undefined
