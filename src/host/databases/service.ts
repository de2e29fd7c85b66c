import type { Host } from '../../model/host.ts'
import type { Machine } from '../contract.ts'
import { optimizeDatabase } from './optimize.ts'
import { measureDatabases } from './sizes.ts'

/** What the worker asks about MariaDB beside the accounts' own part of it. */
export const databaseServiceOf = (machine: Machine) =>
  ({
    databaseSocket: () => machine.databases.socket,
    optimizeDatabase: name => optimizeDatabase(machine, name),
    measureDatabases: names => measureDatabases(machine, names),
  }) satisfies Partial<Host>
