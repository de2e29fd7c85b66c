// The parts of an account that backups keep, since they cannot be rebuilt from the rows.

/** A folder that is kept in a backup: with all its content, or only these entries. */
export type KeptFolder = { name: string; folder: string; entries: 'all' | string[] }

/** A file of a backup of an account, with its content as it is now. */
export type Dump = { file: string; read(): AsyncIterable<Buffer> }

/** A dump of a backup to bring back, by the name of its file and by its path; may run twice. */
export type RestoredDump = {
  file: string
  path: string
  /** Ends it, with its reason. */
  signal: AbortSignal
}
