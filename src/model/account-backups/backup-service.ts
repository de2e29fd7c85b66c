import type { HostAccount } from '../accounts/host-account.ts'
import type { Host } from '../server/host.ts'
import type { RunResult } from './account-backups.ts'
import type { Contents } from './file-list.ts'
import type { Items, RunResult as RestoreResult } from './restores.ts'
import type { OpenRepository } from './repositories.ts'
import type { Keep } from './retention.ts'
import type { OpenTarget } from './targets.ts'

// The machine's part of backups of accounts (src/host/account-backups/).

/**
 * The content of a spool: the rows of an account as JSON, and dumps of its resources. An account
 * has one: the same path each time lets restic find its previous snapshot.
 */
export type Spool = { account: HostAccount; rows: string }

/** A run of one backup. */
export type BackupRun = {
  /** The operation that has begun the backup: unlike its number it never names another one. */
  operationId: string
  username: string
  uid: number
  dumps: readonly string[]
  repository: OpenRepository
  signal: AbortSignal
}

/** A run of one restore. */
export type RestoreRun = Pick<BackupRun, 'username' | 'uid' | 'repository' | 'signal'> & {
  snapshot: string
  items: Items
  keepsReplaced: boolean
}

/** A snapshot of a repository; its tag names the operation of its backup. */
export type Snapshot = { id: string; operationId: string | undefined }

/** The numbers of a new snapshot. */
export type Stored = Omit<RunResult, 'durationMs' | 'contents' | 'list'>

/** A snapshot as it was read back, with its full id. */
export type ReadBack = {
  snapshot: string
  files: number
  bytes: number
  contents: Contents
  /** The compressed list of its files (file-list.ts). */
  list: Buffer
}

export type BackupService = {
  /** Returns why backups cannot be made here; undefined if they can. */
  lack(): string | undefined
  /**
   * Writes the rows and the dumps of a backup, and returns the names of the dumps; may run twice.
   * The signal ends it.
   */
  fillSpool(spool: Spool, signal: AbortSignal): Promise<string[]>
  /** Removes the spool of an account. */
  emptySpool(uid: number): void
  /** Lists the user numbers of the accounts that have one. */
  listSpools(): number[]
  /** Ends what interrupted runs have left; only while there is no other run. */
  endAll(): Promise<void>
  /** Ends what an interrupted run of a repository has left. */
  endInterrupted(repository: OpenRepository): Promise<void>
  /** Creates the repository, unless it exists. */
  createRepository(repository: OpenRepository, signal: AbortSignal): Promise<void>
  /** Removes the locks of ended processes; safe only if nothing else uses the repository. */
  unlock(repository: OpenRepository, signal: AbortSignal): Promise<void>
  listSnapshots(repository: OpenRepository, signal: AbortSignal): Promise<Snapshot[]>
  /** Removes snapshots; their data stays until the next prune. */
  forget(repository: OpenRepository, ids: readonly string[], signal: AbortSignal): Promise<void>
  /** Removes all snapshots but those to keep, and their data. The newest is always kept. */
  prune(repository: OpenRepository, keep: Keep, signal: AbortSignal): Promise<void>
  /** Stores the home, the mail and the spool of an account. */
  store(run: BackupRun): Promise<Stored>
  /**
   * Reads the list of a snapshot back.
   *
   * @throws if it lacks the account's rows, one of its dumps, its home or its mail
   */
  readBack(run: BackupRun, snapshot: string): Promise<ReadBack>
  /**
   * Reads parts of a snapshot into a folder that only root may enter, with the account's owner.
   *
   * @throws {PanelError} `invalid` if it lacks one of them, or the account or the disk has no room
   */
  stage(run: RestoreRun): Promise<RestoreResult>
  /**
   * Moves staged files and folders into the home, and what they replace into the trash; may run
   * twice.
   */
  moveStaged(account: HostAccount, restoreId: string, paths: readonly string[]): Promise<void>
  /**
   * Brings back a staged dump, in place of what the account has; may run twice. Returns what was
   * refused of it; undefined if the account no longer has what it is of. The signal ends it.
   */
  restoreDump(
    account: HostAccount,
    dump: string,
    signal: AbortSignal,
  ): Promise<string[] | undefined>
  /**
   * Adds staged mail to a mailbox; may run twice. Returns false if the account has no such mailbox.
   * The signal ends it.
   */
  restoreMailbox(account: HostAccount, mailbox: string, signal: AbortSignal): Promise<boolean>
  /** Removes what is staged for an account. */
  emptyStaging(uid: number): Promise<void>
  /** Lists the user numbers of the accounts for which something is staged. */
  listStaging(): number[]
  /** Lists the restores whose replaced files are in the trash. */
  listReplaced(): string[]
  removeReplaced(restoreId: string): Promise<void>
  /** Writes, reads and deletes data at a target; where it is append-only, deletes nothing. */
  testTarget(target: OpenTarget): Promise<void>
}

export const backupService = (host: Pick<Host, 'service'>): BackupService =>
  host.service('account backups') as BackupService
