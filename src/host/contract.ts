import type { HostAccount } from '../model/accounts/host-account.ts'
import type { ResourceName } from '../model/server/host.ts'
import type { Warning } from '../model/accounts/warnings.ts'
import type { BackedUp, KeptFolder } from './kept.ts'
import type { PhpInstance, SitePhp } from './php/instances.ts'
import type { Owner } from './tools/files.ts'
import type { RunOptions } from './tools/run.ts'

// The types that the host's modules share. Only machine.ts chooses the implementation.

/** The machine that every step gets: the real one, or a folder that looks like one. */
export type Machine = {
  /** Maps an absolute path of the machine to one for this process. */
  path(absolutePath: string): string
  /** Runs one of the machine's tools. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<string>
  /** The programs that are installed on it. */
  readonly tools: {
    has(tool: string): boolean
    /** Whether a step fails without its tool; the sandbox skips such a step. */
    readonly areRequired: boolean
  }
  readonly users: Users
  readonly files: AccountFiles
  readonly quota: Quota
  readonly php: PhpPrograms
  readonly services: Services
  /** Returns the part that only one resource needs. */
  part<Part>(of: MachinePart<Part>): Part
  /** Makes renames into, and removals from, these folders durable, where files have to be. */
  sync(...folders: string[]): Promise<void>
  /** Makes tools' changes to the user database, homes and limits durable. */
  commit(): Promise<void>
  /** Repairs what all accounts share. */
  ensureShared(): Promise<unknown>
}

/** A part that only one resource needs: for the real machine, and for a folder like one. */
export type MachinePart<Part> = {
  linux(machine: Machine): Part
  sandbox(machine: Machine): Part
}

/** The parts that make up a machine, besides what machine.ts adds. */
export type Parts = (
  path: Machine['path'],
  /** Wraps each start of a tool. */
  wrap: (run: Machine['run']) => Machine['run'],
) => Omit<Machine, 'path' | 'services' | 'part' | 'sync' | 'commit' | 'ensureShared'> & {
  /** Whether files have to survive a power cut: a sandbox has no customers. */
  isDurable: boolean
  openServices(machine: Machine): Services
}

/** A user of the machine, by name and number: a name alone may belong to another user by now. */
export type UserKey = { username: string; uid: number }

export type User = UserKey & { passwordHash: string }

/**
 * The user database of the machine. Each function may run twice and ignores users that are not
 * ours.
 */
export type Users = {
  /** Returns the current number of a name. */
  find(username: string): number | undefined
  /** Returns the current name of a number, as a user's or else as a group's. */
  nameOf(uid: number): string | undefined
  /** Removes the remains of an interrupted write, when a worker starts. */
  recover(): void
  /**
   * Makes the user exist with this password, home and shell. A new user is locked, has no password
   * yet, and belongs to the group; a locked user stays locked. Further groups are kept.
   */
  ensure(user: User, group: string): Promise<void>
  /** Stops this user from logging in, by password or by key. */
  lock(user: UserKey): Promise<void>
  unlock(user: User): Promise<void>
  remove(user: UserKey): Promise<void>
  ensureGroup(group: string): Promise<void>
  /** Makes a user of the panel's own, which is not an account's, and its group. */
  ensureSystemUser(name: string): Promise<void>
  join(user: UserKey, group: string): Promise<void>
  removeFromGroup(user: UserKey, group: string): Promise<void>
}

/** Operations on accounts' files, as the account that owns them; or permanent removals. */
export type AccountFiles = {
  /** Returns the owner that a file must have; undefined where owners have no meaning. */
  owner(uid: number, group: number | 'web server'): Owner | undefined
  /** Prepares the initial content of new websites, when a worker starts. */
  prepare(): Promise<void>
  /** Makes a website's folder with its first page, at a free path. */
  makeSite(uid: number, path: string): Promise<void>
  /**
   * Makes a folder of a home, at a free path. The web server may read all that is made in it,
   * wherever it is moved later, as far as its mode allows the group.
   */
  makeFolder(path: string, mode: number, owner: Owner | undefined): Promise<void>
  /** Gives the web server that access to existing folders and everything in them. */
  admitWebServer(uid: number, folders: readonly string[]): Promise<void>
  /**
   * Returns files and folders at or below these paths that the web server cannot read: as many as
   * are found within the time. The search runs as the web server itself and follows no link.
   */
  listUnreadable(paths: readonly string[], options: Unreadable): Promise<Unread>
  /**
   * Gives the web server access to these again, and to everything in them, as far as their modes
   * allow the group.
   */
  readmitWebServer(uid: number, paths: readonly string[]): Promise<void>
  /**
   * Returns the content of the .htaccess files at or below these folders of an account, and the
   * folders of its home that links in them lead to, within limits: read as the account, without
   * following any other link or waiting for a pipe.
   */
  readHtaccess(uid: number, among: HtaccessFolders, limits: HtaccessLimits): Promise<Htaccesses>
  /** Removes PHP session files that have not been used for this many seconds. */
  removeSessions(uid: number, folder: string, seconds: number): Promise<void>
  /** Removes the path, if it exists. */
  discard(uid: number, path: string): Promise<void>
  /** Renames the path, if it exists, to this name or else to it with the next free number. */
  moveAside(uid: number, from: string, to: string): Promise<void>
  /** Removes a folder that only root may enter: at idle disk priority, or at once. */
  removeIdly(path: string): Promise<void>
  removeNow(path: string): Promise<void>
  /** Returns the bytes of a home and of further folders. */
  measure(uid: number, home: string, more: readonly string[]): Promise<number>
}

export type Htaccess = { path: string; text: string }

/** A link to a folder elsewhere in the home of its account, with the folder that it resolves to. */
export type FolderLink = { path: string; target: string }

export type HtaccessFolders = { home: string; folders: readonly string[] }

/** Lists each file once, by its path without links; `isWhole` is false if a limit was reached. */
export type Htaccesses = { files: Htaccess[]; links: FolderLink[]; isWhole: boolean }

export type HtaccessLimits = {
  timeoutMs: number
  files: number
  /** Maximum links to folders that are not below the folder in which the link was found. */
  links: number
  /** Maximum bytes of each file. */
  bytes: number
}

/** `isWhole` is false if the time or the list ran out first. */
export type Unread = { paths: string[]; isWhole: boolean }

export type Unreadable = {
  timeoutMs: number
  /** Whether to list files, too, that only their account may read, by their mode. */
  withClosed?: boolean
  /** Whether to check only the paths themselves, and nothing below them. */
  isFlat?: boolean
}

/** Limits of users' files, as `setquota` takes them: blocks and inodes, each soft and hard. */
export type Quota = {
  /** Sets a user's limits, or returns why they are not enforced. */
  set(uid: number, limits: readonly string[]): Promise<Warning | undefined>
  /** Returns a function that reads a user's limits; undefined where no quota is kept. */
  openReader(): Promise<((uid: number) => string) | undefined>
  /** Returns the bytes that each user's files have, or may still get; undefined without a quota. */
  measure(): Promise<Map<number, number> | undefined>
  measureRoom(): Promise<Map<number, number> | undefined>
  /** Returns why no quota is kept; undefined where one is, null on a sandbox that has no tools. */
  whyNone(): Promise<string | undefined | null>
}

/** The versions of php-fpm that the machine has. */
export type PhpPrograms = {
  /**
   * Returns the name of the program that accounts run by default.
   *
   * @throws where none is installed
   */
  name(): string
  /** Returns the installed versions, the newest first. */
  versions(): string[]
  /**
   * Returns a value that changes with everything that a program reads besides the panel's files;
   * undefined where that is unknown.
   */
  surroundings(program: string): string | undefined
}

/** A service that all accounts share. */
export type Service = 'nginx' | 'ssh'

/**
 * The manager of the machine's services and limits: systemd, or the worker itself where systemd is
 * not running. Whatever it cannot do, it returns as a warning for the administrator.
 */
export type Services = {
  /** Prepares what all accounts share, when a worker starts. */
  prepare(): Promise<void>
  /** Returns its own files that all accounts share. */
  sharedFiles(): SharedFile[]
  /** Makes those files agree. */
  ensureSharedFiles(): Promise<void>
  /** Has a service reload its configuration, without ending its work. */
  reload(service: Service): Promise<Warning | void>
  /** Returns a warning if a service is not running, as far as can be seen without a process. */
  check(service: Service): Warning | void
  isUp(service: Service): Promise<boolean>
  /** Returns the panel's own units that have failed; undefined where there are no units. */
  listFailed(): Promise<string[] | undefined>
  /** Makes PHP accept requests; running requests continue. */
  startPhp(instance: PhpInstance): Promise<void>
  /** Has PHP reload its configuration and program, if it runs. */
  rereadPhp(instance: PhpInstance): Promise<void>
  /** Returns the instances that accept requests. */
  runningPhp(): Promise<Pick<Set<PhpInstance>, 'has'>>
  /** Returns the processes of each running instance, as far as they are known. */
  phpProcesses(): Map<PhpInstance, number[]>
  /** Whether the next visitor starts PHP that has ended. */
  readonly wakesPhp: boolean
  /** Signals masters to finish their requests and end, or to reopen their logs. */
  signalPhp(instances: readonly PhpInstance[], signal: 'SIGQUIT' | 'SIGUSR1'): Promise<void>
  /** Stops all PHP of the account; nothing starts it again. */
  stopPhp(uid: number): Promise<void>
  /** Stops the PHP of one website; nothing starts it again. */
  stopSitePhp(instance: SitePhp): Promise<void>
  /** Returns the unit files of a website's PHP, which its start makes. */
  sitePhpFiles(instance: SitePhp): SharedFile[]
  /** Removes the unit files of a website's PHP that was stopped. */
  forgetSitePhp(instance: SitePhp): void
  /** Limits memory, CPU and processes, at once and after every start of the machine. */
  limit(account: HostAccount): Promise<Warning | void>
  /** Returns whether these limits are set, as far as can be seen without a process. */
  limitState(account: HostAccount): LimitState
  unlimit(uid: number): Promise<void>
}

export type LimitState = 'set' | 'due' | 'impossible'

/** A file that all accounts share, with its desired text. */
export type SharedFile = { path: string; text: string }

/** A file that differs, or a sentence about a difference that is not in a file. */
export type Drift =
  { path: string; expected: string; found: string | undefined } | { sentence: string }

/** A step's work, which may run twice; warnings report what the machine cannot do. */
export type Act = (machine: Machine, account: HostAccount) => Promise<Warning | Warning[] | void>

/** One part of an account on the machine. */
export type Resource = BackedUp<Machine> & {
  name: ResourceName
  /** Returns whether the account has, or may have, any of it; otherwise its steps are skipped. */
  isNeeded?(machine: Machine, account: HostAccount): boolean
  /** Steps without which it is not made: nothing gives access before its limits are set. */
  needs?: readonly string[]
  /** Makes it as an active account has it. */
  ensure?: Act
  /** Makes it as a suspended account has it, where that differs. */
  suspend?: Act
  /** Removes its part of the account's deleted websites. */
  removeDeleted?: Act
  /** Removes what the account's websites used formerly, if there is anything. */
  removeFormer?: Act
  /** Returns whether there is. */
  hasFormer?(machine: Machine, account: HostAccount): boolean
  /** Cleans up once the processes of a terminated account have ended. */
  clear?: Act
  /** Removes it from a terminated account. */
  remove?: Act
  /** Removes it when a create is undone and nothing may be kept. */
  erase?: Act
  /** Reads many accounts at once, and returns a function that lists an account's differences. */
  drift?(machine: Machine, users: UserFiles): DriftOf | Promise<DriftOf>
  /** Returns why its service, which all accounts share, is not running; undefined if it is. */
  whyDown?(machine: Machine): Promise<string | undefined>
  /** Further operations for the worker, whose type is in src/model; `others` are all resources. */
  serve?(machine: Machine, others: readonly Resource[]): object
  /** Returns its folder outside of the home, which counts towards the account's disk. */
  folderOf?(uid: number): string
  /** Removes files that were offered for long enough. */
  removeExpired?(machine: Machine): Promise<void>
  /** Returns what a backup keeps of it, since it cannot be rebuilt from the rows. */
  keeps?(accounts: readonly UserKey[]): KeptFolder
}

/** Returns what `apply` would change of an account, so far as no process is needed for each. */
export type DriftOf = (account: HostAccount) => (Drift | string)[]

/** The files of the user database, in their current state or as a snapshot. */
export type UserFiles = Pick<Users, 'find' | 'nameOf'> & {
  /** Returns the fields of a name's line. */
  fields(file: 'passwd' | 'group' | 'shadow', name: string): string[] | undefined
}
