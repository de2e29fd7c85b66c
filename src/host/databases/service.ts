import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { letIn } from './admission.ts'
import { exportDatabase, removeExpiredExports } from './export.ts'
import { importDatabase } from './import.ts'
import { optimizeDatabase } from './optimize.ts'
import { measureDatabases } from './sizes.ts'
import { mariaDb } from './mariadb.ts'

/** The operations that the worker calls on MariaDB, apart from accounts' resources. */
export const databaseServiceOf = (machine: Machine) =>
  ({
    letIntoDatabases: listLocked => letIn(machine, listLocked),
    databaseSocket: () => machine.part(mariaDb).socket,
    importDatabase: (account, dump) => importDatabase(machine, account, dump),
    exportDatabase: (account, desired) => exportDatabase(machine, account, desired),
    removeExpiredExports: () => removeExpiredExports(machine),
    optimizeDatabase: (name, signal) => optimizeDatabase(machine, name, signal),
    measureDatabases: names => measureDatabases(machine, names),
  }) satisfies Partial<Host>
