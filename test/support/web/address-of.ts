import { fill } from '../../../src/web/addresses.ts'
import type { Role } from '../../../src/web/page.ts'
import { fromResources } from '../../resource-tests.ts'

/**
 * An address of the table of pages with something in it that there is: `things` says what, by the
 * word before each name, which may be another name.
 */
export function addressOf(path: string, things: Record<string, string>, role: Role): string {
  const ofResources = fromResources(({ things }) => things?.(role))
  const answer: Record<string, string> = {}
  for (const [, kind = '', name = ''] of path.matchAll(/(?<=([a-z-]+)\/):(\w+)/g)) {
    const thing = things[kind] ?? ofResources[kind]
    if (thing === undefined) throw new Error(`What is one of the ${kind} in ${path}?`)
    answer[name] = thing
  }
  return fill(path, answer)
}
