/**
 * Counts results of tap: a file is a test point without indent, its tests are one step further in.
 */
export function count(tap: string): { passed: number; failed: number } {
  const points = tap.split('\n').filter(line => /^ {4}(not )?ok /.test(line))
  const files = tap.split('\n').filter(line => /^not ok /.test(line))
  const failed = points.filter(line => line.startsWith('    not ok')).length
  return { passed: points.length - failed, failed: Math.max(failed, files.length) }
}

/** The files that failed. */
export function failedFiles(tap: string): string[] {
  return [...tap.matchAll(/^not ok \d+ - (test\/\S+\.ts)/gm)].map(([, file = '']) => file)
}

/** Each failed assertion with the diagnostics below it, and the path of tests that it is in. */
export function failures(tap: string): string {
  let until: string | undefined
  let wasFailure = false
  return tap
    .split('\n')
    .filter(line => {
      if (until !== undefined) {
        if (line === until) until = undefined
        return true
      }
      if (/^ *---$/.test(line) && wasFailure) until = line.replace('---', '...')
      wasFailure = /^ *not ok /.test(line) || (wasFailure && until !== undefined)
      return wasFailure || until !== undefined
    })
    .map(line => `${line}\n`)
    .join('')
}
