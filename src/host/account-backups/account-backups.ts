import { randomBytes } from 'node:crypto'
import { PanelError } from '../../errors.ts'
import type { BackupService } from '../../model/account-backups/backup-service.ts'
import type { OpenTarget } from '../../model/account-backups/targets.ts'
import type { Machine, Resource } from '../contract.ts'
import { CommandError } from '../tools/run.ts'
import { isFolder, isThere, listNames } from '../tools/files.ts'
import {
  type Location,
  replacedFolder,
  repositoryOf,
  spoolOf,
  stagingFolder,
  testRepositoryOf,
} from './paths.ts'
import { openFileList } from './file-list.ts'
import { moveStaged, restoreDump, restoreMailbox } from './move.ts'
import { listSnapshots, readBack, restic, store } from './restic.ts'
import { runner } from './runner.ts'
import { emptyStaging, stage } from './stage.ts'
import { emptySpool, fillSpool, listSpools } from './spool.ts'

// Backups of accounts by restic (docs/decisions/0056-backups-of-accounts.md).

/** The spool is all that backups leave of an account on this machine. */
export const accountBackups: Resource = {
  name: 'account backups',
  isNeeded: (machine, { uid }) => isThere(machine.path(spoolOf(uid))),
  async remove(machine, { uid }) {
    emptySpool(machine, uid)
  },
  serve: serviceOf,
}

function serviceOf(machine: Machine, others: readonly Resource[]): BackupService {
  const { makeFolder, end, endAll } = machine.part(runner)
  const withParts = others.find(({ parts }) => parts !== undefined)
  return {
    lack: () =>
      machine.tools.has('restic') ? undefined : 'restic is not installed: apt-get install restic',
    fillSpool: (spool, signal) => fillSpool(machine, spool, others, signal),
    emptySpool: uid => emptySpool(machine, uid),
    listSpools: () => listSpools(machine),
    endAll,
    endInterrupted: repository => end(repositoryOf(repository)),
    createRepository: (repository, signal) => createRepository(repositoryOf(repository), signal),
    async unlock(repository, signal) {
      await restic(machine, repositoryOf(repository), ['unlock', '--remove-all'], { signal })
    },
    listSnapshots: (repository, signal) => listSnapshots(machine, repositoryOf(repository), signal),
    async forget(repository, ids, signal) {
      await restic(machine, repositoryOf(repository), ['forget', '--', ...ids], { signal })
    },
    async prune(repository, keep, signal) {
      const kept = Object.entries(keep).flatMap(([each, count]) =>
        count === 0 ? [] : [`--keep-${each}`, String(count)],
      )
      const args = ['forget', '--group-by', 'host', '--keep-last', '1', ...kept, '--prune']
      await restic(machine, repositoryOf(repository), args, { signal })
    },
    store: run => store(machine, run, foldersOf(run.uid)),
    readBack(run, snapshot) {
      const list = openFileList(machine, run, withParts)
      return readBack(machine, run, { snapshot, list, folders: foldersOf(run.uid) })
    },
    testTarget: target => testTarget(target),
    stage: run => stage(machine, run, withParts),
    moveStaged: (account, id, paths) => moveStaged(machine, account, id, paths),
    restoreDump: (account, dump, signal) => restoreDump(machine, { account, dump, others }, signal),
    restoreMailbox: (account, mailbox, signal) =>
      restoreMailbox(machine, { account, mailbox, parts: withParts?.parts }, signal),
    emptyStaging: uid => emptyStaging(machine, uid),
    listStaging: () => listNumbers(machine.path(stagingFolder)).map(Number),
    listReplaced: () => listNumbers(machine.path(replacedFolder)),
    removeReplaced: id => machine.files.removeIdly(machine.path(`${replacedFolder}/${id}`)),
  }

  /** The folders that resources have outside of the home. */
  function foldersOf(uid: number): string[] {
    const all = others.flatMap(({ folderOf }) => (folderOf === undefined ? [] : [folderOf(uid)]))
    return all.map(folder => machine.path(folder)).filter(isThere)
  }

  // An interrupted run may have created it.
  async function createRepository(location: Location, signal?: AbortSignal): Promise<void> {
    const { address } = location.target
    if (address.kind === 'folder' && !isFolder(machine.path(address.path))) {
      throw new PanelError('invalid', `There is no folder ${address.path} on this server`)
    }
    await makeFolder(location)
    const options = { timeoutMs: shortMs, ...(signal && { signal }) }
    try {
      await restic(machine, location, ['cat', 'config', '--no-lock'], options)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      await restic(machine, location, ['init'], options)
    }
  }

  async function testTarget(target: OpenTarget): Promise<void> {
    const location = testRepositoryOf(target)
    const options = { timeoutMs: shortMs }
    const sent = randomBytes(32).toString('hex')
    await end(location)
    await createRepository(location)
    await restic(machine, location, ['unlock', '--remove-all'], options)
    const words = ['backup', '--host', 'panel', '--stdin', '--stdin-filename', 'test']
    await restic(machine, location, words, { ...options, stdin: sent })
    const read = await restic(machine, location, ['dump', '--no-lock', 'latest', 'test'], options)
    if (read !== sent) throw new PanelError('invalid', 'It returned other data than was written')
    const { address } = target
    if (address.kind === 'rest' && address.is_append_only) return
    const forget = ['forget', '--keep-last', '1', '--group-by', 'host', '--prune']
    await restic(machine, location, forget, options)
  }
}

const listNumbers = (folder: string): string[] =>
  listNames(folder).filter(name => /^[1-9][0-9]{0,18}$/.test(name))

// A small repository: with a slow server and restic's own repeats.
const shortMs = 50_000
