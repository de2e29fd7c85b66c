import { fill } from '../../../src/web/addresses.ts'
import { fromResources } from '../../resource-tests.ts'

const ofResources = fromResources(({ things }) => things)

/**
 * An address of the table of pages with something in it that there is: `things` says what, by the
 * word before each name.
 */
export function addressOf(path: string, things: Record<string, string>): string {
  const said: Record<string, string> = {}
  for (const [, kind = '', name = ''] of path.matchAll(/([a-z-]+)\/:(\w+)/g)) {
    const thing = things[kind] ?? ofResources[kind]
    if (thing === undefined) throw new Error(`What is one of the ${kind} in ${path}?`)
    said[name] = thing
  }
  return fill(path, said)
}
