import { createHash } from 'node:crypto'
import { trash } from '../accounts/trash.ts'
import type { OpenRepository } from '../../model/account-backups/repositories.ts'
import type { OpenTarget } from '../../model/account-backups/targets.ts'

// The folders of backups of accounts (docs/decisions/0056-backups-of-accounts.md).

/** The user that runs restic, and its group: used by nothing else. */
export const backupUser = 'panel-backup'

/** Dumps and rows by user number; only root may enter, and the runner by its capability. */
export const spoolFolder = '/var/lib/panel/account-backups'

export const spoolOf = (uid: number): string => `${spoolFolder}/${uid}`

/** The rows of the account in its spool. */
export const rowsFile = 'account.json'

/** Keys and credentials of the runs in progress: in memory, for root alone. */
export const runsFolder = '/run/panel/backups'

/** The runner's caches of repositories that are not on this server. */
export const cacheFolder = '/var/cache/panel-backup'

/** A repository of an account, or that of a target's tests. */
export type Location = {
  /** Its name at the target: with a hash of its key, so that panels can share a target. */
  name: string
  /** Its name on this machine: of units, credentials and caches. */
  unit: string
  key: string
  target: OpenTarget
}

export const repositoryOf = ({ id, username, key, target }: OpenRepository): Location => ({
  ...{ name: `${username}-${hashOf(key)}`, unit: `panel-backup-${id}`, key, target },
})

/** The folder of content that was read, until it is moved into homes on the same file system. */
export const stagingFolder = `${trash}/restoring`

export const stagingOf = (uid: number): string => `${stagingFolder}/${uid}`

/** The folder of replaced files, by the numbers of restores. */
export const replacedFolder = `${trash}/replaced`

/** Returns whether a name on this machine is that of an account's repository. */
export const isOfRun = (unit: string): boolean => /^panel-backup-[0-9]+(-restore)?$/.test(unit)

export const testRepositoryOf = (target: OpenTarget): Location => ({
  ...{ name: `panel-test-${hashOf(target.testKey)}`, unit: 'panel-backup-test' },
  ...{ key: target.testKey, target },
})

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 12)
