import { rmSync } from 'node:fs'
import type { Machine, MachinePart } from '../contract.ts'
import { openUserFiles } from '../accounts/user-database.ts'
import { ensureFolder, isThere, listNames } from '../tools/files.ts'
import type { Owner } from '../tools/files.ts'
import type { RunOptions } from '../tools/run.ts'
import { runnerScript, writeCredentials } from './credentials.ts'
import { backupUser, cacheFolder, isOfRun, type Location, runsFolder } from './paths.ts'
import { plainCommand } from './plain-runner.ts'
import type { StartedRestic } from './started.ts'
import { stopUnit, unitCommand } from './unit.ts'

// Runs restic as a user of its own, which sees only what a run reads and writes.

export type Command = {
  location: Location
  args: readonly string[]
  /** Folders to read: of one account. */
  readable?: readonly string[]
  /** The folder that a restore writes to. */
  staging?: string
  options: RunOptions
}

export type Runner = {
  /** Runs restic to its end, and returns its output. */
  restic(command: Command): Promise<string>
  /** Ends what an interrupted run of a repository has left. */
  end(location: Location): Promise<void>
  /** Ends what interrupted runs of any repository have left; only while there is no other run. */
  endAll(): Promise<void>
  /** Makes the folder of a repository, where it is on this machine. */
  makeFolder(location: Location): Promise<void>
  /** Makes a folder that restic may write to. */
  makeStaging(path: string): Promise<void>
}

// A hung server must end some time; a first backup of a large home takes hours.
const limitMs = 24 * 3_600_000

const baseArgs = (location: Location): string[] =>
  location.target.address.kind === 'folder' ? ['--no-cache'] : ['--cache-dir', cacheOf(location)]

const cacheOf = ({ unit }: Location): string => `${cacheFolder}/${unit}`

/** The path of a repository that is a folder of this machine. */
const folderOf = ({ name, target: { address } }: Location): string | undefined =>
  address.kind === 'folder' ? `${address.path}/${name}` : undefined

export const runner: MachinePart<Runner> = {
  linux(machine) {
    const hasSystemd = () => isThere(machine.path('/run/systemd/system'))
    const owner = ownerOf(machine)
    return {
      async restic({ location, args, readable = [], staging, options }) {
        const folder = folderOf(location)
        const cache = cacheOf(location)
        if (folder === undefined) {
          ensureFolder(machine.path(cacheFolder), 0o711)
          ensureFolder(machine.path(cache), 0o700, await owner())
        }
        const credentials = writeCredentials(machine, location)
        const started: StartedRestic = {
          unit: location.unit,
          view: {
            ...{ readable, hasNetwork: folder === undefined },
            writable: [folder ?? cache, ...(staging === undefined ? [] : [staging])],
            makesModes: staging !== undefined,
          },
          credentials,
          environment: { ...credentials.environment, GOMAXPROCS: '1' },
          owner: await owner(),
          args: ['-c', runnerScript, 'sh', ...baseArgs(location), ...args],
        }
        const [command, ...rest] = hasSystemd() ? unitCommand(started) : plainCommand(started)
        try {
          return await machine.run(command, rest, { timeoutMs: limitMs, ...options })
        } catch (error) {
          if (hasSystemd()) await stopUnit(machine, location.unit)
          throw error
        } finally {
          credentials.remove()
        }
      },
      // Without systemd it has ended with the worker that started it.
      end: async ({ unit }) => {
        if (hasSystemd()) await stopUnit(machine, unit)
      },
      endAll: async () => {
        for (const unit of listNames(machine.path(runsFolder)).filter(isOfRun)) {
          if (hasSystemd()) await stopUnit(machine, unit)
          rmSync(machine.path(`${runsFolder}/${unit}`), { recursive: true, force: true })
        }
      },
      makeFolder: async location => {
        const folder = folderOf(location)
        if (folder !== undefined) ensureFolder(machine.path(folder), 0o700, await owner())
      },
      makeStaging: async path => void ensureFolder(path, 0o700, await owner()),
    }
  },
  // A sandbox runs the restic of its own folder, with its own files and without a view.
  sandbox: machine => ({
    async restic({ location, args, options }) {
      const { folder, environment, remove } = writeCredentials(machine, location)
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
    endAll: async () => {},
    makeFolder: async location => {
      const folder = folderOf(location)
      if (folder !== undefined) ensureFolder(machine.path(folder), 0o700)
    },
    makeStaging: async path => void ensureFolder(path, 0o700),
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
