import { isUtf8 } from 'node:buffer'
import { accessSync, constants, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { events, type EventName } from '../../model/events/events.ts'
import type { FoundScript, Host, Script } from '../../model/server/host.ts'
import { hasCode } from '../tools/files.ts'
import { endGroup } from './process-group.ts'
import { systemPath } from '../tools/run.ts'
import { follow } from '../tools/safe-path.ts'
import { runScript, type ScriptLimits } from './script.ts'

// The scripts that root installed below /etc/panel/hooks, which run after each event.

export type Hooks = {
  /** Contains a folder `<event>.d` for each event that has scripts. */
  folder: string
  limits?: Partial<ScriptLimits>
}

// The account's next event waits for the script: one that hangs, as on a lost network, is ended
// after a minute and has five seconds to clean up.
const usualLimits: ScriptLimits = {
  timeoutMs: 60_000,
  graceMs: 5_000,
  lingerMs: 1_000,
  outputBytes: 16_384,
}

export const hooksOf = ({ folder, limits }: Hooks) =>
  ({
    hasScripts: event => !isMissing(join(folder, `${event}.d`)),
    findScripts: event => meant(join(folder, `${event}.d`)),
    runScript: ({ event, mark, ...start }) =>
      runScript(
        {
          ...start,
          environment: {
            PATH: systemPath,
            PANEL_EVENT: event,
            PANEL_EVENT_ID: mark,
            LANG: 'C.UTF-8',
          },
        },
        { ...usualLimits, ...limits },
      ),
    endScript: (mark, leader) => endGroup(`PANEL_EVENT_ID=${mark}`, leader),
  }) satisfies Partial<Host>

/** Returns everything in hook folders, with its owner; also entries that would not run. */
export function listScripts(folder: string): FoundScript[] {
  return (Object.keys(events) as EventName[]).flatMap(event =>
    [...find(join(folder, `${event}.d`))].map(script => {
      const found = lstatSync(script.path, { throwIfNoEntry: false })
      const mode = found === undefined ? null : (found.mode & 0o7777).toString(8).padStart(4, '0')
      return { event, ...script, uid: found?.uid ?? null, mode }
    }),
  )
}

type Found = Script & Pick<FoundScript, 'isIgnored'>

function* meant(path: string): Generator<Script> {
  for (const { isIgnored, ...script } of find(path)) if (!isIgnored) yield script
}

function* find(path: string): Generator<Found> {
  if (isMissing(path)) return
  // Scripts must be root's, or the user's own in a trial of the panel (`/` is always root's).
  const owners = [0, process.getuid!()]
  const folder = follow(path, owners)
  const refusal = folder.refusal ?? (folder.found?.isDirectory() ? null : `${path} is not a folder`)
  if (refusal !== null) {
    // The scripts in it are not read: another user may have put them there.
    yield { name: '.', path, refusal, isIgnored: false }
    return
  }
  // As bytes: a script may have any name.
  const names = readdirSync(folder.path, { encoding: 'buffer' }).sort(Buffer.compare)
  for (const name of names) yield inspect(folder.path, name, owners)
}

function isMissing(path: string): boolean {
  try {
    lstatSync(path)
    return false
  } catch (error) {
    return hasCode(error, 'ENOENT')
  }
}

function inspect(folder: string, bytes: Buffer, owners: readonly number[]): Found {
  const isIgnored = !isMeant(Buffer.concat([Buffer.from(`${folder}/`), bytes]))
  if (!isUtf8(bytes)) {
    // A process can be started only by a name in UTF-8. The bytes distinguish such names.
    const name = `${bytes.toString()} (${bytes.toString('hex')})`
    const refusal = isIgnored ? null : `The name ${name} is not UTF-8`
    return { name, path: join(folder, name), refusal, isIgnored }
  }
  const name = bytes.toString()
  const { path, refusal } = follow(join(folder, name), owners)
  if (isIgnored) return { name, path, refusal: null, isIgnored }
  return { name, path, refusal: refusal ?? checkUse(path), isIgnored }
}

/**
 * Returns whether the entry is meant to run: an executable file, or a dangling link, which must be
 * reported. A README, a script disabled with chmod -x, or a folder is not.
 */
function isMeant(path: Buffer): boolean {
  try {
    const found = statSync(path)
    return found.isFile() && (found.mode & 0o111) !== 0
  } catch {
    return true
  }
}

function checkUse(path: string): string | null {
  try {
    accessSync(path, constants.X_OK)
    return null
  } catch {
    return `${path} cannot be run: check its mode and the mount options of its file system`
  }
}
