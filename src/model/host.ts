import type { HostAccount } from './host-account.ts'

/** Runs one named step; who passes it may time, log or refuse it. */
export type Observe = (step: string, run: () => Promise<void>) => Promise<void>

/** What the worker asks of the machine (src/host/apply.ts and usage.ts do it). */
export type Host = {
  /**
   * Makes the machine agree with what is wanted of the account; may run twice. Tells what the
   * server cannot enforce for it, as sentences.
   */
  apply: (account: HostAccount, observe: Observe) => Promise<string[]>
  /** Undoes a create: leaves nothing of the account, however far it came. */
  erase: (account: HostAccount, observe: Observe) => Promise<void>
  /**
   * Measures what accounts have on the disk, some at a time; leaves out those of which it cannot
   * be told now.
   */
  measureDisk: (users: readonly DiskUser[]) => AsyncIterable<DiskUse[]>
  /** The files of the access log: the rotated ones, the oldest first, then the current one. */
  accessLogs: () => LogFile[]
  /** What a file holds from an offset on, in batches of whole lines; the last may be unfinished. */
  readLog: (file: LogFile, offset: number) => AsyncIterable<LogBatch>
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
