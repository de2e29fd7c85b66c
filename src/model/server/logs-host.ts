import type { LogAccount, SiteLines, SiteLog } from '../sites/site-logs.ts'
import type { SiteStatistics } from '../sites/site-statistics.ts'

/** The part of the machine with logs of requests, as the worker uses it. */
export type LogsHost = {
  /** The files of the access log: the rotated ones, the oldest first, then the current one. */
  accessLogs: () => LogFile[]
  /** Closes nginx's logs, which a rotation has opened, to other users; returns which it changed. */
  closeLogs: () => string[]
  /** Reads a file from an offset on, in batches of whole lines; the last may be unfinished. */
  readLog: (file: LogFile, offset: number) => AsyncIterable<LogBatch>
  /** Adds lines to the logs of websites, where they can be opened and their account has room. */
  writeSiteLogs: (lines: readonly SiteLines[], accounts: readonly LogAccount[]) => Promise<void>
  readSiteLog: (account: LogAccount, domain: string) => SiteLog
  /**
   * Computes statistics from a website's access logs.
   *
   * @throws {PanelError} `unavailable`, if GoAccess is not installed or ends without a result
   */
  readSiteStatistics: (
    account: LogAccount,
    domain: string,
    signal: AbortSignal | undefined,
  ) => Promise<SiteStatistics>
}

/** A file of the access log. Its name changes when it is rotated; device and inode do not. */
export type LogFile = {
  name: string
  device: string
  inode: string
  bytes: number
  /** When the file was created; undefined if the file system does not record it. */
  bornAt: Date | undefined
  /** Whether it is the file being written; the others were rotated. */
  isCurrent: boolean
}

/** Lines of the access log, summed up. */
export type LogBatch = {
  /** The offset after these lines. */
  end: number
  sums: SiteBytes[]
  sites: SiteLines[]
  /** The number of lines in an unknown format. */
  skipped: number
}

/** The bytes that a site sent in a month, UTC, as YYYY-MM-01. */
export type SiteBytes = { site: string; month: string; bytes: string }
