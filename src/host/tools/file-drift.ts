import { agrees, isThere, readFile } from './files.ts'
import type { Drift, Machine } from '../contract.ts'

/** Returns a drift as one line. */
export const inShort = (one: Drift): string => {
  if ('sentence' in one) return one.sentence
  return `${one.path} ${one.found === undefined ? 'was missing' : 'was different'}`
}

/** Returns how a file that everyone may read and only root may write differs. */
export function fileDrift(machine: Machine, path: string, expected: string): Drift[] {
  const location = machine.path(path)
  if (!isThere(location)) return [{ path, expected, found: undefined }]
  return agrees(location, expected, 0o644) ? [] : [{ path, expected, found: textOf(location) }]
}

/** Returns the text of a file, or undefined if it does not exist. */
export function textOf(path: string): string | undefined {
  try {
    return readFile(path)
  } catch {
    return '' // A link or a folder, which is replaced or refused.
  }
}
