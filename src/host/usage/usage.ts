import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { measureDisk } from './disk.ts'
import { accessLogs, readLog } from './access-log.ts'

/** What a machine tells of the use of its accounts: a part of what a worker asks of it. */
export const usageOf = (machine: Machine) =>
  ({
    measureDisk: users => measureDisk(machine, users),
    accessLogs: () => accessLogs(machine),
    readLog: (file, offset) => readLog(machine, file, offset),
  }) satisfies Partial<Host>
