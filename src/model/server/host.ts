import type { EventName } from '../events/events.ts'
import type { Issued } from '../certificates/certificates.ts'
import type { HostAccount } from '../accounts/host-account.ts'
import type { ResourcePart } from '../operations/resource-kinds.ts'
import type { FoundRules, RulesAccount } from '../sites/site-rules.ts'
import type { Warning } from '../accounts/warnings.ts'
import type { OwnPurpose } from '../certificates/own-certificate.ts'
import type { LogsHost } from './logs-host.ts'
import type { MailState } from './mail-queue.ts'
import type { MailQueueHost } from './queue-changes.ts'
import type { MailHost } from './mail-relay.ts'
import type { MailServerHost } from './mail-server.ts'
import type { PhpHost } from './php-host.ts'
import type { RemedyHost } from './remedy-host.ts'
import type { Checked } from './remedies.ts'

/** The port of Adminer, next to the panel's own port. */
export const adminerPort = 8444

/** The folder on an installed server in which uploads wait for the worker. */
export const uploadsPath = '/var/spool/panel/in'

/** The folder on an installed server in which dumps wait to be downloaded. */
export const exportsPath = '/var/spool/panel/out'

/** Runs one named step; an implementation may time, log or refuse it. */
export type Observe = (step: string, run: () => Promise<void>) => Promise<void>

/** The parts of an account on the machine. */
export type ResourceName =
  | 'user'
  | 'home'
  | 'quota'
  | 'cron'
  | 'slice'
  | 'php'
  | 'mail'
  | 'processes'
  | 'orphaned files'
  | ResourcePart

type Parts = LogsHost & MailHost & MailQueueHost & MailServerHost & PhpHost & RemedyHost

/** The machine, as the worker uses it (implemented by src/host/apply.ts and usage.ts). */
export type Host = Parts & {
  /**
   * Makes the machine agree with the desired state of the account; may run twice. Returns what the
   * server cannot enforce for it. With `part`, applies only these parts, for an account that is
   * known to agree in all others.
   */
  apply: (
    account: HostAccount,
    observe: Observe,
    part?: readonly ResourceName[],
  ) => Promise<Warning[]>
  /** Undoes a change; continues past a step that fails. May run twice. */
  restore: (account: HostAccount, observe: Observe) => Promise<void>
  /** Undoes a create: removes everything of the account, however far the create came. */
  erase: (account: HostAccount, observe: Observe) => Promise<void>
  /** Lists all websites that visitors can reach. */
  listWebsites: () => Websites
  /** Removes these websites from the web server; may run twice. */
  removeWebsites: (websites: Websites) => Promise<void>
  /** Repairs what all accounts share; may run twice. Failures are not reported. */
  ensureShared: () => Promise<void>
  /**
   * Makes nginx trust these proxies; may run twice.
   *
   * @throws if nginx refuses that: then it trusts the earlier ones
   */
  trustProxies: (entries: readonly string[]) => Promise<void>
  /** Records the trusted proxies for the next `ensureShared`. */
  noteTrustedProxies: (entries: readonly string[]) => Promise<void>
  /** Returns what `apply` would change; changes nothing. */
  compare: (account: HostAccount) => Promise<Compared>
  /** Restores the web server's lost access to files; returns the number of files. */
  readmit: (account: TendedUser) => Promise<number>
  /**
   * Returns whether the machine has booted, or the panel was updated, since accounts were compared.
   */
  isComparisonDue: () => boolean
  noteComparison: () => Promise<void>
  /** Lists the ids of accounts that `apply` would change; changes nothing. The signal ends it. */
  listDiffering: (accounts: Iterable<HostAccount>, signal: AbortSignal) => AsyncIterable<string>
  /** Returns what cannot be done now because services are not running. */
  checkServices: () => Promise<ServiceWarnings>
  /** Lists the websites that have a certificate and its key on the machine. */
  listServed: () => string[]
  /**
   * Makes all websites answer a certificate authority's challenges with this account thumbprint.
   */
  answerChallenges: (thumbprint: string) => Promise<void>
  /**
   * Generates a key for one of the account's websites, and a certificate request (PEM) for these
   * names. The key stays on the machine.
   */
  requestCertificate: (
    account: HostAccount,
    desired: { siteId: string; names: readonly string[] },
    observe: Observe,
  ) => Promise<string>
  /** Returns whether the certificate of the panel itself, or its mail server, needs replacing. */
  needsOwnCertificate: (purpose: OwnPurpose, name: string) => boolean
  /** Returns a certificate request (PEM) for this name, with the existing key. */
  requestOwnCertificate: (purpose: OwnPurpose, name: string) => Promise<string>
  /** Checks a certificate against its key, name and date, and serves it. */
  installOwnCertificate: (purpose: OwnPurpose, name: string, chain: string) => Promise<void>
  /**
   * Checks a certificate against the website's key, names and the date, and serves it; may run
   * twice. The previous certificate stays if that fails.
   */
  installCertificate: (
    account: HostAccount,
    ordered: { siteId: string; names: readonly string[]; chain: string },
    observe: Observe,
  ) => Promise<Issued>
  /**
   * Measures the disk usage of accounts, some at a time; leaves out those that cannot be measured
   * now.
   */
  measureDisk: (users: readonly DiskUser[]) => AsyncIterable<DiskUse[]>
  /**
   * Removes expired PHP sessions from these homes, and restores the web server's lost access to
   * files, as far as modes allow. A home that fails does not stop the others. The signal ends it.
   */
  tendHomes: (users: readonly TendedUser[], signal: AbortSignal) => Promise<void>
  /**
   * Reads the rules in .htaccess files that are not applied, one account after the other; an
   * unreadable one is left out. The signal ends it.
   */
  readRules: (accounts: readonly RulesAccount[], signal: AbortSignal) => AsyncIterable<FoundRules>
  /** The number of hours for which the home of a terminated account is kept. */
  trashHours: number
  /** Lists the user numbers of the accounts whose homes are in the trash. */
  listTrash: () => number[]
  deleteTrash: (uid: number) => Promise<void>
  /** Returns whether any file is installed to run after an event, safe or not. */
  hasScripts: (event: EventName) => boolean
  /**
   * Lists the hook scripts of an event in the byte order of their names, each checked when it is
   * read; files that are not executable are left out. If the folder is refused, it is the only
   * entry.
   */
  findScripts: (event: EventName) => Iterable<Script>
  /** Runs a script to its end; returns nothing if `signal` ended it. */
  runScript: (run: ScriptStart) => Promise<ScriptEnd | undefined>
  /**
   * Ends what remains of an interrupted script.
   *
   * @throws if that fails
   */
  endScript: (mark: string, leader: ScriptProcess | null) => Promise<void>
  /** Returns the server's key, which seals secrets in rows. */
  serverKey: () => Buffer
  /** Removes files of resources that were offered for long enough. */
  removeExpired: () => Promise<void>
  /** Returns what a resource offers besides its part of an account: `serviceOf` knows its type. */
  service: (name: ResourceName) => object
  /**
   * Checks that the machine can be changed.
   *
   * @throws if it cannot
   */
  tryOut: () => Promise<void>
  /** Examines the whole server; changes nothing. */
  takeServerSnapshot: () => Promise<ServerSnapshot>
}

/** Website ids, and the names that lead visitors or TLS handshakes to any website. */
export type Websites = { siteIds: readonly string[]; names: readonly string[] }

/**
 * The services that are not running, each by the part of an account that needs it, with the effect
 * as a sentence.
 */
export type ServiceWarnings = { [part: string]: string }

export type Compared = {
  /** The differences, as sentences. */
  differed: string[]
  /** The only parts that `apply` has to process; all of them if left out. */
  part?: ResourceName[]
}

/** A hook script, or the entry found in its place. */
export type Script = {
  /** The name in its event's folder; a dot is the folder itself. */
  name: string
  /** The resolved path, if it could be resolved. */
  path: string
  /** Why it may not run. */
  refusal: string | null
}

/** An entry of a hook folder. */
export type FoundScript = Script & {
  /** Whether it is not an executable file: neither run nor refused. */
  isIgnored: boolean
  event: EventName
  /** The user number of its owner. */
  uid: number | null
  /** The mode in the notation of chmod. */
  mode: string | null
}

export type InstalledPhp = {
  byDefault: string | null
  versions: { version: string; extensions: { name: string; isOn: boolean }[] }[]
}

export type ServerSnapshot = {
  checks: Checked[]
  addresses: string[]
  /** Processes that ran or waited, on average over 1, 5 and 15 minutes. */
  load: [number, number, number]
  cores: number
  memory: { totalMb: number; availableMb: number }
  disks: { path: string; totalMb: number; availableMb: number }[]
  /** The ports of sshd; none if they are unknown. */
  sshPorts: number[]
  hostKeys: { kind: string; fingerprint: string }[]
  hooks: { folder: string; scripts: FoundScript[] }
  /** The user numbers of terminated accounts whose homes are kept. */
  trash: number[]
  /** The installed versions of PHP, the newest first, and the default of accounts. */
  php: InstalledPhp
  /** The number of reloads of each service since the worker's start. */
  reloads: Record<string, number>
  /** Left out if the server has no mail, or Postfix does not answer. */
  mail?: MailState
}

export type ScriptStart = {
  /** The resolved path. */
  path: string
  event: EventName
  /** PANEL_EVENT_ID; unique to the event. */
  mark: string
  /** The content of its standard input. */
  body: Buffer
  signal: AbortSignal
  /** Called as soon as the script's process is known. */
  onStarted: (leader: ScriptProcess) => Promise<void>
}

/** The process that leads a script's group: its number alone may belong to another by now. */
export type ScriptProcess = { pid: number; startedTicks: string; bootId: string }

export type ScriptEnd = {
  outcome: 'succeeded' | 'failed' | 'timed_out'
  /** Why it did not succeed. */
  reason: string | null
  exitCode: number | null
  signal: string | null
  /** The end of its output. */
  stdout: Buffer
  stderr: Buffer
  durationMs: number
}

export type DiskUser = Pick<HostAccount, 'id' | 'uid' | 'username'>

/** With its websites, as their settings name the folders that they serve. */
export type TendedUser = DiskUser & Pick<HostAccount, 'sites'>

export type DiskUse = { id: string; bytes: number; measuredAt: Date }
