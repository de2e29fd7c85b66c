/**
 * Files of a CI run that have failed and run once more, alone. Timing on a loaded machine fails a
 * test now and then, and a fault fails it again. A second run is printed with the first failure,
 * so that none is lost; where more files have failed, something is broken.
 */
export function secondRun(failed: string[]): string[] {
  const most = 2
  return process.env['CI'] === 'true' && failed.length <= most ? failed : []
}

/** The line of a file that passed in its second run. */
export function passedLater(files: string[]): string {
  return files.map(file => `${file} failed once and passed alone: see above\n`).join('')
}
