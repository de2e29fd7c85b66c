import { PanelError } from '../../errors.ts'

// Facts about dump files.

/** The time for which a finished export can be downloaded. */
export const exportKeptMs = 3_600_000

/**
 * Returns whether the start of a file shows that it is not SQL. Compressed files are not checked
 * here.
 */
export const isForeign = (start: Buffer): boolean =>
  !['1f8b', '28b52ffd'].some(magic => start.toString('hex', 0, 4).startsWith(magic)) &&
  (start.subarray(0, 512).includes(0) || ['PK', 'BZh', 'Rar!', '%PDF', '\xfd7zXZ'].some(is(start)))

const is =
  (start: Buffer) =>
  (magic: string): boolean =>
    start.toString('latin1', 0, magic.length) === magic

export const noDump = (): PanelError =>
  new PanelError('invalid', 'This is not a dump: send SQL, plain or compressed with gzip or zstd')
