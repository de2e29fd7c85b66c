import type { BackupWarning } from '../../model/server/backup-warnings.ts'
import { launch } from './run.ts'

// The longest path that Linux accepts. Folders can be nested deeper, one from within another.
const longestPath = 4_096

/** A pattern for paths that are too long: that many characters, and the rest. */
export const tooLong = `${'?'.repeat(longestPath)}*`

// Each level has at most 255 bytes and a slash: levels above this need no comparison.
const minDepth = '15'
const charactersShown = 100

/**
 * Finds entries of a folder that are nested too deep for any path; returns a warning for each.
 *
 * @param environment that of the program that leaves them out
 */
export async function listTooDeep(
  folder: string,
  names: readonly string[],
  environment: Record<string, string>,
): Promise<BackupWarning[]> {
  if (names.length === 0) return []
  const shown = `%H\\0%.${charactersShown}p\\0`
  const tests = ['-mindepth', minDepth, '-path', tooLong, '-prune', '-printf', shown]
  // `-C` of env(1): names are then the same as tar's, with the same length.
  const child = launch(['env', '-C', folder, 'find', ...names, ...tests], environment)
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined).end()
  // Errors about files that disappeared meanwhile.
  child.stderr.resume()
  // An account may have any number of them: one for each entry is enough to find them.
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
  return Array.from(first.values(), path => ({ code: 'nested_too_deep', path }))
}
