import { existsSync, lstatSync, rmSync } from 'node:fs'
import { ensureLink, renameIfThere, syncFolder } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import type { InstallStep } from './plan.ts'
import { currentRelease, releasesFolder, unfinished } from './release.ts'

export const panelCommand = '/usr/bin/panel'

/** Puts the release into its place. It comes there as a whole or not at all. */
export const releaseStep: InstallStep = {
  name: 'release',
  does: ({ release }) =>
    `Copy the release to ${releasesFolder}/${release.version}, and make ${panelCommand}`,
  async act({ release: { folder, version } }) {
    const place = `${releasesFolder}/${version}`
    await run('mkdir', ['-p', releasesFolder])
    if (!existsSync(place)) {
      const fresh = `${releasesFolder}/${unfinished(version)}`
      rmSync(fresh, { recursive: true, force: true })
      const preserve = ['--no-preserve=ownership', '--preserve=mode,timestamps,links']
      await run('cp', ['-R', '-P', ...preserve, '--', folder, fresh], { timeoutMs: 300_000 })
      await run('sync', ['--file-system', fresh], { timeoutMs: 300_000 })
      renameIfThere(fresh, place)
      await syncFolder(releasesFolder)
    }
    ensureLink(currentRelease, `releases/${version}`)
    const found = lstatSync(panelCommand, { throwIfNoEntry: false })
    if (found !== undefined && !found.isSymbolicLink()) {
      return `${panelCommand} is another program: call ${currentRelease}/bin/panel instead`
    }
    ensureLink(panelCommand, `${currentRelease}/bin/panel`)
    return undefined
  },
}
