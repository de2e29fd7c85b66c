import type { DatabaseService } from '../../model/databases/database-service.ts'
import type { Machine } from '../contract.ts'
import { letIn } from './admission.ts'
import { exportDatabase } from './export.ts'
import { importDatabase } from './import.ts'
import { optimizeDatabase } from './optimize.ts'
import { measureDatabases } from './sizes.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

export const serviceOf = (machine: Machine): DatabaseService => ({
  letIn: listLocked => letIn(machine, listLocked),
  socket: () => machine.part(mariaDb).socket,
  importDump: (account, dump) => importDatabase(machine, account, dump),
  exportDump: (account, desired) => exportDatabase(machine, account, desired),
  optimize: (name, signal) => optimizeDatabase(machine, name, signal),
  measure: names => measureDatabases(machine, names),
})
