import type { EventName } from '../events/events.ts'
import type { Issued } from '../certificates/certificates.ts'
import type { HostAccount } from '../accounts/host-account.ts'
import type { HostDatabase } from '../databases/host-databases.ts'
import type { ResourcePart } from '../operations/resource-kinds.ts'
import type { FoundRules, RulesAccount } from '../sites/site-rules.ts'
import type { Warning } from '../accounts/warnings.ts'

/** Where Adminer is reached, beside the panel's own port. */
export const adminerPort = 8444

/** On a machine, where what people have sent waits for the worker. */
export const uploadsPath = '/var/spool/panel/in'

/** Runs one named step; who passes it may time, log or refuse it. */
export type Observe = (step: string, run: () => Promise<void>) => Promise<void>

/** The parts that an account has on the machine. */
export type ResourceName =
  | 'user'
  | 'home'
  | 'quota'
  | 'cron'
  | 'slice'
  | 'php'
  | 'processes'
  | 'orphaned files'
  | ResourcePart

/** What the worker asks of the machine (src/host/apply.ts and usage.ts do it). */
export type Host = {
  /**
   * Makes the machine agree with what is wanted of the account; may run twice. Tells what the
   * server cannot enforce for it. With `part` only these parts are looked after: for
   * an account that is known to agree in all others.
   */
  apply: (
    account: HostAccount,
    observe: Observe,
    part?: readonly ResourceName[],
  ) => Promise<Warning[]>
  /** Undoes a change: what fails does not keep the rest from being done. May run twice. */
  restore: (account: HostAccount, observe: Observe) => Promise<void>
  /** Undoes a create: leaves nothing of the account, however far it came. */
  erase: (account: HostAccount, observe: Observe) => Promise<void>
  /** All that visitors may find anything of. */
  listWebsites: () => Websites
  /** Has visitors find nothing of these; may run twice. */
  removeWebsites: (websites: Websites) => Promise<void>
  /** Puts right what all accounts share; may run twice. What it can't is told to nobody. */
  ensureShared: () => Promise<void>
  /** What `apply` would put right; changes nothing. */
  compare: (account: HostAccount) => Promise<Compared>
  /** Lets the web server read what it has lost the access to; returns how many files that was. */
  readmit: (account: DiskUser) => Promise<number>
  /** Whether the machine was started, or the panel updated, since its accounts were compared. */
  isComparisonDue: () => boolean
  noteComparison: () => Promise<void>
  /** Ids of those that `apply` would change something of; changes nothing. The signal ends it. */
  listDiffering: (accounts: Iterable<HostAccount>, signal: AbortSignal) => AsyncIterable<string>
  /** What services that are not running leave undone now. */
  lookAtServices: () => Promise<ServiceWarnings>
  /** The websites that have a certificate and its key on the machine. */
  listServed: () => string[]
  /** Has all websites answer a certificate authority as the account with this thumbprint does. */
  answerChallenges: (thumbprint: string) => Promise<void>
  /**
   * Makes a new key for one of the account's websites, and a request (PEM) for a certificate of
   * these names. The key stays on the machine.
   */
  requestCertificate: (
    account: HostAccount,
    desired: { siteId: string; names: readonly string[] },
    observe: Observe,
  ) => Promise<string>
  /** Whether the panel itself answers by TLS, with a certificate that should be another. */
  needsOwnCertificate: (name: string) => boolean
  /** A request (PEM) for one of this name, by the key that is there. */
  requestOwnCertificate: (name: string) => Promise<string>
  /** Judges it by key, name and date, and has it served. */
  installOwnCertificate: (name: string, chain: string) => Promise<void>
  /**
   * Judges a certificate by the website's key, names and the date, and has it served; may run
   * twice. What was served before stays where it fails.
   */
  installCertificate: (
    account: HostAccount,
    ordered: { siteId: string; names: readonly string[]; chain: string },
    observe: Observe,
  ) => Promise<Issued>
  /**
   * Measures what accounts have on the disk, some at a time; leaves out those of which it cannot
   * be told now.
   */
  measureDisk: (users: readonly DiskUser[]) => AsyncIterable<DiskUse[]>
  /**
   * Removes sessions of PHP that are over from the homes of these, and lets the web server read
   * what it has lost the access to, as far as modes allow. What one home refuses keeps no other
   * from its turn. The signal ends it.
   */
  tendHomes: (users: readonly DiskUser[], signal: AbortSignal) => Promise<void>
  /**
   * Reads what .htaccess files of their websites say that is not applied, an account after the
   * other; one that cannot be read is left out. The signal ends it.
   */
  readRules: (accounts: readonly RulesAccount[], signal: AbortSignal) => AsyncIterable<FoundRules>
  /** The files of the access log: the rotated ones, the oldest first, then the current one. */
  accessLogs: () => LogFile[]
  /** For so many hours the home of a terminated account is kept. */
  trashHours: number
  /** The numbers of the accounts whose homes were put away. */
  listTrash: () => number[]
  deleteTrash: (uid: number) => Promise<void>
  /** What a file holds from an offset on, in batches of whole lines; the last may be unfinished. */
  readLog: (file: LogFile, offset: number) => AsyncIterable<LogBatch>
  /** Whether anything was installed to run after an event, safe or not. */
  hasScripts: (event: EventName) => boolean
  /**
   * The hook scripts of an event in the byte order of their names, each judged when it is asked
   * for; what is not executable is left out. Its folder stands for them where it is refused itself.
   */
  findScripts: (event: EventName) => Iterable<Script>
  /** Runs a script to its end; nothing where `signal` has ended it. */
  runScript: (run: ScriptStart) => Promise<ScriptEnd | undefined>
  /** Ends what is left of an interrupted script; throws where that can't be done. */
  endScript: (mark: string, leader: ScriptProcess | null) => Promise<void>
  /**
   * Lets customers into a MariaDB that has just started, once the users of these names are locked.
   * Tells what was missing till then, where it did so.
   */
  letIntoDatabases: (listLocked: () => Promise<readonly string[]>) => Promise<Warning | undefined>
  /** Where MariaDB listens for those who may use a database. */
  databaseSocket: () => string
  /**
   * Has a dump that was put aside executed; tells what of it was refused. The signal ends it, by
   * the reason that it has.
   */
  importDatabase: (
    account: HostAccount,
    dump: { database: HostDatabase; id: string; signal: AbortSignal },
  ) => Promise<string[]>
  /** Has a database written again, without the room of what was deleted from it; the same. */
  optimizeDatabase: (name: string, signal: AbortSignal) => Promise<void>
  /** What each of these databases takes of the disk, in their order. */
  measureDatabases: (names: readonly string[]) => Promise<number[]>
  /** What a resource does besides its part of an account: `serviceOf` knows its type. */
  service: (name: ResourceName) => object
  /** Whether the machine can be changed: throws where it can't. */
  tryOut: () => Promise<void>
  /** How the whole server is; changes nothing. */
  lookAtServer: () => Promise<ServerLook>
}

/** Websites by their numbers, and the names that lead visitors or their handshakes to any. */
export type Websites = { siteIds: readonly string[]; names: readonly string[] }

/** Sentences for the accounts that have websites, that may use SFTP, and that have databases. */
export type ServiceWarnings = {
  websites: string | null
  sftp: string | null
  databases: string | null
  /** Of no account: why no database can be opened in it. */
  adminer: string | null
}

export type Compared = {
  /** The differences, as sentences. */
  differed: string[]
  /** The only parts that `apply` has to look after; missing where it is all of them. */
  part?: ResourceName[]
}

/** A hook script, or what was found in its place. */
export type Script = {
  /** In its event's folder; a dot is the folder itself. */
  name: string
  /** Where it really is, if the way there could be followed. */
  path: string
  /** Why it may not run. */
  refusal: string | null
}

/** A check of `panel ctl doctor`. */
export type Checked = {
  /** `group/what` */
  name: string
  state: 'ok' | 'warning' | 'failure' | 'skipped'
  sentence: string
  advice: string | null
}

/** What lies in a hook folder. */
export type FoundScript = Script & {
  /** Whether it is no executable file: neither run nor refused. */
  isIgnored: boolean
  event: EventName
  /** Whose it is, by number. */
  uid: number | null
  /** As chmod takes it. */
  mode: string | null
}

export type ServerLook = {
  checks: Checked[]
  addresses: string[]
  /** Processes that ran or waited, on average of 1, 5 and 15 minutes. */
  load: [number, number, number]
  cores: number
  memory: { totalMb: number; availableMb: number }
  disks: { path: string; totalMb: number; availableMb: number }[]
  /** Where sshd listens; none where that is unknown. */
  sshPorts: number[]
  hooks: { folder: string; scripts: FoundScript[] }
  /** How often services were reloaded since the worker's start. */
  reloads: Record<string, number>
}

export type ScriptStart = {
  /** The real path. */
  path: string
  event: EventName
  /** PANEL_EVENT_ID; no other event has it. */
  mark: string
  /** For its standard input. */
  body: Buffer
  signal: AbortSignal
  /** Told as soon as the script's process is known. */
  onStarted: (leader: ScriptProcess) => Promise<void>
}

/** The process that leads a script's group: a number alone may be another one's by now. */
export type ScriptProcess = { pid: number; startedTicks: string; bootId: string }

export type ScriptEnd = {
  outcome: 'succeeded' | 'failed' | 'timed_out'
  /** Why it did not succeed. */
  reason: string | null
  exitCode: number | null
  signal: string | null
  /** The last of what it wrote. */
  stdout: Buffer
  stderr: Buffer
  durationMs: number
}

export type DiskUser = Pick<HostAccount, 'id' | 'uid' | 'username'>

export type DiskUse = { id: string; bytes: number; measuredAt: Date }

/** A file of the access log. Its name changes when it is rotated, device and inode do not. */
export type LogFile = {
  name: string
  device: string
  inode: string
  bytes: number
  /** When the file was made; undefined where the file system does not tell. */
  bornAt: Date | undefined
  /** Whether it is the one that is written; the others were rotated. */
  isCurrent: boolean
}

/** Lines of the access log, summed up. */
export type LogBatch = {
  /** Where the file goes on behind them. */
  end: number
  sums: SiteBytes[]
  /** Lines that are not ours. */
  skipped: number
}

/** Bytes that a site has sent in a month, UTC, as YYYY-MM-01. */
export type SiteBytes = { site: string; month: string; bytes: string }
