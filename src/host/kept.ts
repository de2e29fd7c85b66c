import type { HostAccount } from '../model/accounts/host-account.ts'

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

/** Parts of a resource's folder, such as mailboxes, that get back what a backup has of them. */
export type RestorableParts<Machine> = {
  /** Returns the part that a path below the folder is in; undefined if there is none. */
  partOf(path: string): string | undefined
  /** Returns the path of a part on the machine. */
  pathOf(uid: number, part: string): string
  /** Returns a function that returns whether parts, or all, have a file of a backup already. */
  openPresent(
    machine: Machine,
    uid: number,
    parts: readonly string[] | 'all',
  ): Promise<(path: string) => boolean>
  /**
   * Adds to a part what a backup has of it, and keeps what the part has since; may run twice.
   * Returns false if the account has no such part.
   */
  restore(machine: Machine, account: HostAccount, part: RestoredPart): Promise<boolean>
}

export type RestoredPart = {
  name: string
  /** The folder of its content, which only root may enter: the account owns what is in it. */
  staged: string
  /** Ends it, with its reason. */
  signal: AbortSignal
}

/** The part of a resource that backups of accounts store and restore. */
export type BackedUp<Machine> = {
  /** Lists what a backup of an account stores of it besides files of the home. */
  dumps?(machine: Machine, account: HostAccount): Dump[]
  /** Brings a dump of a backup back; undefined if the account no longer has what it is of. */
  restoreDump?(_: Machine, account: HostAccount, dump: RestoredDump): Promise<string[] | undefined>
  /** The parts of its folder that are restored from a backup one by one. */
  parts?: RestorableParts<Machine>
}
