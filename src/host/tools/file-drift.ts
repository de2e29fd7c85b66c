import { agrees, isThere, readFile } from './files.ts'
import type { Drift, Machine } from '../contract.ts'

/** A drift in one line. */
export const inShort = (one: Drift): string => {
  if ('sentence' in one) return one.sentence
  return `${one.path} ${one.found === undefined ? 'was missing' : 'was different'}`
}

/** How a file differs that everybody may read and root alone may write. */
export function fileDrift(machine: Machine, path: string, expected: string): Drift[] {
  const place = machine.path(path)
  if (!isThere(place)) return [{ path, expected, found: undefined }]
  return agrees(place, expected, 0o644) ? [] : [{ path, expected, found: textOf(place) }]
}

/** The text of a file, or undefined where nothing is. */
export function textOf(path: string): string | undefined {
  try {
    return readFile(path)
  } catch {
    return '' // It is a link or a folder, which is replaced or refused.
  }
}
