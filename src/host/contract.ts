import type { HostAccount } from '../model/accounts/host-account.ts'
import type { ResourceName } from '../model/server/host.ts'
import type { Warning } from '../model/accounts/warnings.ts'
import type { Owner } from './tools/files.ts'
import type { RunOptions } from './tools/run.ts'

// What the host's modules know of each other. machine.ts alone chooses who stands behind it.

/** What every step gets: the real machine, or a folder that looks like one. */
export type Machine = {
  /** Where an absolute path of the machine is for this process. */
  path(absolutePath: string): string
  /** Runs one of the machine's tools. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<string>
  /** The programs that it has. */
  readonly tools: {
    has(tool: string): boolean
    /** Whether a step fails without its tool; the sandbox takes the step as done. */
    readonly areRequired: boolean
  }
  readonly users: Users
  readonly files: AccountFiles
  readonly quota: Quota
  readonly php: PhpProgram
  readonly services: Services
  /** What one resource alone needs of it. */
  part<Part>(of: MachinePart<Part>): Part
  /** Makes what was renamed into or removed from folders last, where it has to. */
  sync(...folders: string[]): Promise<void>
  /** Makes last what tools have changed in the user database, in homes and of limits. */
  commit(): Promise<void>
  /** Puts right what all accounts share. */
  ensureShared(): Promise<unknown>
}

/** What one resource alone needs: of the real machine, and of a folder that looks like one. */
export type MachinePart<Part> = {
  linux(machine: Machine): Part
  sandbox(machine: Machine): Part
}

/** What a machine consists of besides what is wired of it (machine.ts). */
export type Parts = (
  path: Machine['path'],
  /** Put around each start of a tool. */
  wrap: (run: Machine['run']) => Machine['run'],
) => Omit<Machine, 'path' | 'services' | 'part' | 'sync' | 'commit' | 'ensureShared'> & {
  /** Whether files have to survive a power cut: nobody is served from the sandbox's. */
  isDurable: boolean
  openServices(machine: Machine): Services
}

/** A user of the machine, by name and number: a name alone may be somebody else's by now. */
export type UserKey = { username: string; uid: number }

export type User = UserKey & { passwordHash: string }

/** The user database of the machine. Each function may run twice; each leaves strangers alone. */
export type Users = {
  /** The number that a name has now. */
  find(username: string): number | undefined
  /** The name that a number has now, as a user's or else as a group's. */
  nameOf(uid: number): string | undefined
  /** Removes what an interrupted write has left, at a worker's start. */
  recover(): void
  /**
   * Makes the user exist with this password, home and shell. A new one is locked and has no
   * password yet, and belongs to the group; a locked one stays so. Further groups are left alone.
   */
  ensure(user: User, group: string): Promise<void>
  /** No password and no key lets this user in any more. */
  lock(user: UserKey): Promise<void>
  unlock(user: User): Promise<void>
  remove(user: UserKey): Promise<void>
  ensureGroup(group: string): Promise<void>
  /** Makes a user of the panel's own, which is no account's, and its group exist. */
  ensureSystemUser(name: string): Promise<void>
  join(user: UserKey, group: string): Promise<void>
  leave(user: UserKey, group: string): Promise<void>
}

/** What is done to files as the account whose they are, or for good. */
export type AccountFiles = {
  /** Whose a file has to be; undefined where owners mean nothing. */
  owner(uid: number, group: number | 'web server'): Owner | undefined
  /** Makes ready what new websites begin with, at a worker's start. */
  prepare(): Promise<void>
  /** Makes a website's folder with its first page, where nothing is. */
  makeSite(uid: number, path: string): Promise<void>
  /**
   * Makes a folder of a home, where nothing is. The web server may read whatever is made in it,
   * wherever that is moved later, as far as its mode lets the group.
   */
  makeFolder(path: string, mode: number, owner: Owner | undefined): Promise<void>
  /** Has these folders be such and all that is in them, in a home that was made otherwise. */
  admitWebServer(uid: number, folders: readonly string[]): Promise<void>
  /**
   * The files and folders at or below these paths that the web server cannot read: as many as are
   * found in that time. It is looked for as the web server itself, which follows no link.
   */
  listUnreadable(paths: readonly string[], options: Unreadable): Promise<Unread>
  /** Lets the web server read such again, and all in them, as far as their modes let the group. */
  readmitWebServer(uid: number, paths: readonly string[]): Promise<void>
  /**
   * What is in the .htaccess files at or below these folders of an account, and the folders of its
   * home that links in them lead to, as far as limits allow: read as the account, without following
   * any other link or waiting for a pipe.
   */
  readHtaccess(uid: number, among: HtaccessFolders, limits: HtaccessLimits): Promise<Htaccesses>
  /** Removes the files of PHP's sessions that nobody has used for so many seconds. */
  removeSessions(uid: number, folder: string, seconds: number): Promise<void>
  /** Removes what is there, if anything. */
  discard(uid: number, path: string): Promise<void>
  /** Renames what is there, if anything, to this name or else to it with the next free number. */
  moveAside(uid: number, from: string, to: string): Promise<void>
  /** Removes a folder that only root may enter, behind everything else that wants the disk. */
  removeIdly(path: string): Promise<void>
  /** Removes such a folder at once. */
  removeNow(path: string): Promise<void>
  /** The bytes of a home. */
  measure(uid: number, home: string): Promise<number>
}

export type Htaccess = { path: string; text: string }

/** A link to a folder elsewhere in the home of its account, which is what it comes to. */
export type FolderLink = { path: string; target: string }

export type HtaccessFolders = { home: string; folders: readonly string[] }

/** Each file once, by its path without links; whether all was read, or a limit was reached. */
export type Htaccesses = { files: Htaccess[]; links: FolderLink[]; isWhole: boolean }

export type HtaccessLimits = {
  timeoutMs: number
  files: number
  /** To folders that are not below the folder that the link was found in. */
  links: number
  /** Of each file. */
  bytes: number
}

/** Whether all was looked at, or the time or the list came to its end before. */
export type Unread = { paths: string[]; isWhole: boolean }

export type Unreadable = {
  timeoutMs: number
  /** Also those that only their account may read, by their mode. */
  withClosed?: boolean
  /** The paths alone, and nothing below them. */
  isFlat?: boolean
}

/** The limits of users' files, as `setquota` takes them: blocks and inodes, each soft and hard. */
export type Quota = {
  /** Sets a user's limits, or says why they are not enforced. */
  set(uid: number, limits: readonly string[]): Promise<Warning | undefined>
  /** What tells a user's limits; undefined where no quota is kept. */
  look(): Promise<((uid: number) => string) | undefined>
  /** The bytes of each user's files; undefined where nobody counts them. */
  measure(): Promise<Map<number, number> | undefined>
  /** Why no quota is kept; undefined where one is, null on a sandbox that has no tools. */
  whyNone(): Promise<string | undefined | null>
}

/** The php-fpm of the machine. */
export type PhpProgram = {
  /** @throws where there is none */
  name(): string
  /** Changes with all that it reads besides an account's file; undefined where that is unknown. */
  surroundings(): string | undefined
}

/** A service that all accounts share. */
export type Service = 'nginx' | 'ssh'

/**
 * Whoever keeps the machine's services and limits: systemd, or the worker itself where systemd is
 * not running. What they can't do they return as a warning for the administrator.
 */
export type Services = {
  /** Makes what all accounts share ready, at a worker's start. */
  prepare(): Promise<void>
  /** Files of its own that all accounts share. */
  sharedFiles(): SharedFile[]
  /** Makes those agree. */
  ensureSharedFiles(): Promise<void>
  /** Has a service read its configuration again, without ending what it does. */
  reload(service: Service): Promise<Warning | void>
  /** Tells where a service does not run, as far as that can be seen without a process. */
  look(service: Service): Warning | void
  isUp(service: Service): Promise<boolean>
  /** The panel's own units that have failed; undefined where there are no units. */
  listFailed(): Promise<string[] | undefined>
  /** Has the account's PHP answer; what runs goes on. */
  startPhp(uid: number): Promise<void>
  /** Has the account's PHP read its configuration again, if it runs. */
  rereadPhp(uid: number): Promise<void>
  /** The accounts whose PHP answers. */
  runningPhp(): Promise<Pick<Set<number>, 'has'>>
  /** The processes of each account's PHP that runs, as far as they are known. */
  phpProcesses(): Map<number, number[]>
  /** Whether PHP that has ended is started by the next visitor. */
  readonly wakesPhp: boolean
  /** Tells masters to end with what is in progress, or to open their logs again. */
  signalPhp(uids: readonly number[], signal: 'SIGQUIT' | 'SIGUSR1'): Promise<void>
  /** Stops the account's PHP; nothing starts it again. */
  stopPhp(uid: number): Promise<void>
  /** Limits memory, CPU and processes, at once and after every start of the machine. */
  limit(account: HostAccount): Promise<Warning | void>
  /** Whether it is limited so, as far as that can be seen without a process. */
  limitState(account: HostAccount): LimitState
  unlimit(uid: number): Promise<void>
}

export type LimitState = 'set' | 'due' | 'impossible'

/** A file that all accounts share, as it should be. */
export type SharedFile = { path: string; text: string }

/** A file that is not as it should be, or a sentence about something that is no file. */
export type Drift =
  { path: string; expected: string; found: string | undefined } | { sentence: string }

/** A step's work, which may run twice; a warning tells what the machine can't do. */
export type Act = (machine: Machine, account: HostAccount) => Promise<Warning | void>

/** One part of what an account has on the machine. */
export type Resource = {
  name: ResourceName
  /** Whether an account has anything of it, or may have; its steps are left out of others. */
  isNeeded?(machine: Machine, account: HostAccount): boolean
  /** The steps without which it is not made: nothing opens whose limits don't stand. */
  needs?: readonly string[]
  /** Makes it as an active account has it. */
  ensure?: Act
  /** Makes it as a suspended account has it, where that is something else. */
  suspend?: Act
  /** Takes away what it holds of the account's websites that leave. */
  leave?: Act
  /** Takes away what its processes have left, once those of a terminated account have ended. */
  clear?: Act
  /** Takes it away from a terminated account. */
  remove?: Act
  /** Takes it away where a create is undone and nothing may be kept. */
  erase?: Act
  /** Looks once for many accounts, and returns what tells how one differs. */
  look?(machine: Machine, users: UserFiles): Look | Promise<Look>
  /** What the worker asks of it besides; its kind says what that is (src/model). */
  serve?(machine: Machine): object
  /** What a backup takes of it, since it can't be made again from the rows. */
  keeps?(accounts: readonly UserKey[]): Place
}

/** What of an account `apply` would change, as far as it is seen without a process for each. */
export type Look = (account: HostAccount) => (Drift | string)[]

/** A folder that is kept in a backup: with all that is in it, or only these entries. */
export type Place = { name: string; folder: string; entries: 'all' | string[] }

/** The files of the user database, as they are or as they were at one moment. */
export type UserFiles = Pick<Users, 'find' | 'nameOf'> & {
  /** The fields of the line of a name. */
  fields(file: 'passwd' | 'group' | 'shadow', name: string): string[] | undefined
}
