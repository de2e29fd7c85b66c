import { existsSync, lstatSync, rmSync } from 'node:fs'
import { ensureLink, renameIfThere, syncFolder } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import type { InstallStep } from './plan.ts'
import { currentRelease, releasesFolder, unfinished } from './release.ts'

export const panelCommand = '/usr/bin/panel'

// Enough for a slow disk.
const timeout = { timeoutMs: 300_000 }

/** Copies a release, owned by root, which everyone may read and run. */
export async function copyRelease(folder: string, fresh: string): Promise<void> {
  const preserve = ['--no-preserve=ownership', '--preserve=mode,timestamps,links']
  await run('cp', ['-R', '-P', ...preserve, '--', folder, fresh], timeout)
  // It may have been unpacked with umask 077, and API and courier do not run as root.
  await run('chmod', ['-R', 'u+rwX,go+rX,go-w', '--', fresh], timeout)
}

/** Moves the release to its path, as a whole or not at all. */
export const releaseStep: InstallStep = {
  name: 'release',
  does: ({ release }) =>
    `Copy the release to ${releasesFolder}/${release.version}, and create ${panelCommand}`,
  async act({ release: { folder, version } }) {
    const path = `${releasesFolder}/${version}`
    await run('mkdir', ['-p', releasesFolder])
    if (!existsSync(path)) {
      const fresh = `${releasesFolder}/${unfinished(version)}`
      rmSync(fresh, { recursive: true, force: true })
      await copyRelease(folder, fresh)
      await run('sync', ['--file-system', fresh], timeout)
      renameIfThere(fresh, path)
      await syncFolder(releasesFolder)
    }
    ensureLink(currentRelease, `releases/${version}`)
    const found = lstatSync(panelCommand, { throwIfNoEntry: false })
    if (found !== undefined && !found.isSymbolicLink()) {
      return `${panelCommand} belongs to another program: use ${currentRelease}/bin/panel instead`
    }
    ensureLink(panelCommand, `${currentRelease}/bin/panel`)
    return undefined
  },
}
