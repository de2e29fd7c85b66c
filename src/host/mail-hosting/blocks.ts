// A map has a block of lines for each account, which begins with a comment. So one account's lines
// can be replaced without the rows of the others, in the order of their numbers.

export type Blocks = Map<number, string[]>

const head = '# Written by the panel, which overwrites changes.\n'
const opening = /^# account ([1-9][0-9]{0,9})$/

/** Reads the blocks of a map; lines outside of them are left out. */
export function parseBlocks(text: string): Blocks {
  const blocks: Blocks = new Map()
  let lines: string[] | undefined
  for (const line of text.split('\n')) {
    const uid = opening.exec(line)?.[1]
    if (uid !== undefined) blocks.set(Number(uid), (lines = []))
    else if (line !== '' && !line.startsWith('#')) lines?.push(line)
  }
  return blocks
}

/** Renders blocks; an account without lines has none. */
export const renderBlocks = (blocks: Blocks): string =>
  head +
  [...blocks]
    .filter(([, lines]) => lines.length > 0)
    .sort(([one], [other]) => one - other)
    .map(([uid, lines]) => `# account ${uid}\n${lines.join('\n')}\n`)
    .join('')

/** The address, login or domain that a line is about. */
export const keyOf = (line: string): string => line.slice(0, line.indexOf(' '))

/**
 * Returns the lines of a block without those whose address, login or domain is in no line of
 * another one.
 */
export function withoutRemoved(lines: readonly string[], desired: readonly string[]): string[] {
  const keys = new Set(desired.map(keyOf))
  return lines.filter(line => keys.has(keyOf(line)))
}
