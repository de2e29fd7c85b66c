import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { readSiteLog } from '../web/read-site-log.ts'
import { readSiteStatistics } from '../web/site-statistics.ts'
import { type LogKind, writeSiteLogs } from '../web/site-logs.ts'
import { measureDisk } from './disk.ts'
import { accessLogs, readLog } from './access-log.ts'
import { closeLogs } from './log-modes.ts'

/** The number of lines that a page shows. */
const shownLines = 200

/** The measurements of accounts' use, as part of the worker's operations. */
export const usageOf = (machine: Machine) =>
  ({
    measureDisk: users => measureDisk(machine, users),
    accessLogs: () => accessLogs(machine),
    closeLogs: () => closeLogs(machine),
    writeSiteLogs: (lines, accounts) => writeSiteLogs(machine, lines, accounts),
    readSiteLog(account, domain) {
      const read = (kind: LogKind) =>
        readSiteLog(machine, account, domain, { kind, filter: '', count: shownLines })
      return { access: read('access'), errors: read('error') }
    },
    readSiteStatistics: (account, domain, signal) =>
      readSiteStatistics(machine, account, domain, signal),
    readLog: (file, offset) => readLog(machine, file, offset),
  }) satisfies Partial<Host>
