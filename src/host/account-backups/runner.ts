import type { Machine, MachinePart } from '../contract.ts'
import { openUserFiles } from '../accounts/user-database.ts'
import { ensureFolder, isThere } from '../tools/files.ts'
import type { Owner } from '../tools/files.ts'
import type { RunOptions } from '../tools/run.ts'
import { runnerScript, writeCredentials } from './credentials.ts'
import { backupUser, cacheFolder, type Place } from './paths.ts'
import { plainCommand } from './plain-runner.ts'
import type { StartedRestic } from './started.ts'
import { stopUnit, unitCommand } from './unit.ts'

// Runs restic as a user of its own, which sees only what a run reads and writes.

export type Command = {
  place: Place
  args: readonly string[]
  /** Folders to read: of one account. */
  readable?: readonly string[]
  options: RunOptions
}

export type Runner = {
  /** Runs restic to its end, and returns its output. */
  restic(command: Command): Promise<string>
  /** Ends what an interrupted run of a repository has left. */
  end(place: Place): Promise<void>
  /** Makes the folder of a repository, where it is on this machine. */
  makeFolder(place: Place): Promise<void>
}

// A hung server must end some time; a first backup of a large home takes hours.
const limitMs = 24 * 3_600_000

const baseArgs = (place: Place): string[] =>
  place.target.place.kind === 'folder' ? ['--no-cache'] : ['--cache-dir', cacheOf(place)]

const cacheOf = ({ unit }: Place): string => `${cacheFolder}/${unit}`

/** The path of a repository that is a folder of this machine. */
const folderOf = ({ name, target: { place } }: Place): string | undefined =>
  place.kind === 'folder' ? `${place.path}/${name}` : undefined

export const runner: MachinePart<Runner> = {
  linux(machine) {
    const hasSystemd = () => isThere(machine.path('/run/systemd/system'))
    const owner = ownerOf(machine)
    return {
      async restic({ place, args, readable = [], options }) {
        const folder = folderOf(place)
        const cache = cacheOf(place)
        if (folder === undefined) {
          ensureFolder(machine.path(cacheFolder), 0o711)
          ensureFolder(machine.path(cache), 0o700, await owner())
        }
        const credentials = writeCredentials(machine, place)
        const started: StartedRestic = {
          unit: place.unit,
          view: { readable, writable: [folder ?? cache], hasNetwork: folder === undefined },
          credentials,
          environment: { ...credentials.environment, GOMAXPROCS: '1' },
          owner: await owner(),
          args: ['-c', runnerScript, 'sh', ...baseArgs(place), ...args],
        }
        const [command, ...rest] = hasSystemd() ? unitCommand(started) : plainCommand(started)
        try {
          return await machine.run(command, rest, { timeoutMs: limitMs, ...options })
        } catch (error) {
          if (hasSystemd()) await stopUnit(machine, place.unit)
          throw error
        } finally {
          credentials.remove()
        }
      },
      // Without systemd it has ended with the worker that started it.
      end: async ({ unit }) => {
        if (hasSystemd()) await stopUnit(machine, unit)
      },
      makeFolder: async place => {
        const folder = folderOf(place)
        if (folder !== undefined) ensureFolder(machine.path(folder), 0o700, await owner())
      },
    }
  },
  // A sandbox runs the restic of its own folder, with its own files and without a view.
  sandbox: machine => ({
    async restic({ place, args, options }) {
      const { folder, environment, remove } = writeCredentials(machine, place)
      const secrets = {
        RESTIC_PASSWORD_FILE: `${folder}/key`,
        RESTIC_REPOSITORY_FILE: `${folder}/repository`,
      }
      const all = { ...environment, ...secrets, GOMAXPROCS: '1' }
      try {
        const given = { timeoutMs: limitMs, ...options, environment: all }
        return await machine.run('restic', ['--no-cache', ...args], given)
      } finally {
        remove()
      }
    },
    end: async () => {},
    makeFolder: async place => {
      const folder = folderOf(place)
      if (folder !== undefined) ensureFolder(machine.path(folder), 0o700)
    },
  }),
}

// Makes the runner's user at the first use.
function ownerOf(machine: Machine): () => Promise<Owner> {
  let made: Promise<Owner> | undefined
  const make = async (): Promise<Owner> => {
    await machine.users.ensureSystemUser(backupUser)
    const { fields } = openUserFiles(machine.path)
    const [uid, gid] = [fields('passwd', backupUser)?.[2], fields('group', backupUser)?.[2]]
    if (uid === undefined || gid === undefined) throw new Error(`There is no user ${backupUser}`)
    return { uid: Number(uid), gid: Number(gid) }
  }
  return () => (made ??= make().catch(error => ((made = undefined), Promise.reject(error))))
}
