import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { writeSiteLogs } from '../web/site-logs.ts'
import { measureDisk } from './disk.ts'
import { accessLogs, readLog } from './access-log.ts'

/** The measurements of accounts' use, as part of the worker's operations. */
export const usageOf = (machine: Machine) =>
  ({
    measureDisk: users => measureDisk(machine, users),
    accessLogs: () => accessLogs(machine),
    writeSiteLogs: (lines, accounts) => writeSiteLogs(machine, lines, accounts),
    readLog: (file, offset) => readLog(machine, file, offset),
  }) satisfies Partial<Host>
