import { readlinkSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PanelError } from '../../errors.ts'
import { ensureLink, isFresh, listNames, syncFolder } from '../../host/tools/files.ts'
import { CommandError, run } from '../../host/tools/run.ts'
import { currentRelease, releasesFolder } from '../release.ts'
import { services } from '../units.ts'
import { downloadFolder, dumpFolder, updateFolder } from './paths.ts'

export const folderOf = (version: string): string => join(releasesFolder, version)

/** The commands that one release gives another (src/cli/as-release.ts). */
export type Verb = 'migrate' | 'prepare' | 'health'

const timeoutMs: Record<Verb, number> = { migrate: 600_000, prepare: 180_000, health: 90_000 }

/**
 * Makes a release run its own part, with its own code.
 *
 * @throws {PanelError} `failed`, with its output
 */
export async function askRelease(version: string, verb: Verb): Promise<void> {
  const folder = folderOf(version)
  try {
    await run(join(folder, 'node'), [join(folder, 'bin/panel-release.ts'), verb], {
      timeoutMs: timeoutMs[verb],
    })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const output = error.stderr === '' ? error.message : error.stderr
    throw new PanelError('failed', `${version} says: ${output}`, { cause: error })
  }
}

/** Points `current` at a release. */
export async function switchTo(version: string): Promise<void> {
  ensureLink(currentRelease, `releases/${version}`)
  await syncFolder(dirname(currentRelease))
}

/**
 * Returns which of the panel's services run another release, or none.
 *
 * @returns sentences
 */
export async function listOthers(version: string): Promise<string[]> {
  const found = await Promise.all(
    services.map(async service => {
      const shown = ['show', '--value', '-p', 'MainPID', '--', `${service}.service`]
      const pid = (await run('systemctl', shown)).trim()
      return programOf(pid).startsWith(`${folderOf(version)}/`)
        ? []
        : [`${service} does not run ${version}`]
    }),
  )
  return found.flat()
}

function programOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return '' // It no longer runs.
  }
}

/** Removes unfinished releases, dumps and records of a killed update. */
export function removeHalfMade(): void {
  for (const folder of [dirname(currentRelease), releasesFolder, dumpFolder, updateFolder]) {
    // The command and the undo may both run this at the same time.
    for (const name of listNames(folder).filter(isFresh)) {
      rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}

/** Removes all releases and dumps except those of these versions, and all downloads. */
export function removeOthers(versions: readonly string[]): void {
  for (const folder of [releasesFolder, dumpFolder]) {
    for (const name of listNames(folder)) {
      if (!versions.includes(name)) rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
  for (const name of listNames(downloadFolder)) rmSync(join(downloadFolder, name), { force: true })
}
