import { launch } from './run.ts'

// Linux takes no longer path. Folders can be made deeper than that, one from within the other.
const longestPath = 4_096

/** Paths that are too long, as a pattern of characters and what follows. */
export const tooLong = `${'?'.repeat(longestPath)}*`

// Each folder on the way has 255 bytes and a slash at most: what lies above is not compared.
const minDepth = '15'
const charactersShown = 100

/**
 * Where in a folder's entries something lies too deep for any path, a sentence for each entry.
 *
 * @param environment as it has who leaves that out
 */
export async function listTooDeep(
  folder: string,
  names: readonly string[],
  environment: Record<string, string>,
): Promise<string[]> {
  if (names.length === 0) return []
  const shown = `%H\\0%.${charactersShown}p\\0`
  const tests = ['-mindepth', minDepth, '-path', tooLong, '-prune', '-printf', shown]
  // `-C` of env(1): names are as tar has them, and as long.
  const child = launch(['env', '-C', folder, 'find', ...names, ...tests], environment)
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined).end()
  // What went away meanwhile.
  child.stderr.resume()
  // An account may have as many as it likes: one of each entry is enough to find them.
  const first = new Map<string, string>()
  let rest = ''
  for await (const part of child.stdout.setEncoding('utf8')) {
    const words = `${rest}${part}`.split('\0')
    const whole = words.length - 1 - ((words.length - 1) % 2)
    rest = words.slice(whole).join('\0')
    for (let at = 0; at < whole; at += 2) {
      const name = words[at] ?? ''
      if (!first.has(name)) first.set(name, words[at + 1] ?? '')
    }
  }
  return Array.from(first.values(), path => `${path}…: files nested too deep are left out`)
}
