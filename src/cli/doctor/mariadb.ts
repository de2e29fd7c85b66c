import { existsSync } from 'node:fs'
import { whyNoDatabases } from '../../host/databases/health.ts'
import { listOpenSettings, settingsFile } from '../../host/mariadb/settings.ts'
import { hasDatabases } from '../../install/mariadb.ts'
import { mariadbDropIn } from '../../install/units.ts'
import {
  type Checks,
  type DoctorContext,
  failure,
  fixedBy,
  requireRoot,
  Skip,
  warning,
  well,
} from './check.ts'
import { mariaDb } from '../../host/mariadb/mariadb.ts'

/** Checks that MariaDB serves the accounts' databases and no others. */
export const mariadbChecks: Checks = {
  async running(panel) {
    requireRoot(panel)
    const why = await whyNoDatabases(panel.machine)
    const isNeeded =
      isSetUp(panel) || (await panel.accounts()).some(({ databases }) => databases !== undefined)
    if (why === undefined && isUsed(panel)) return well('MariaDB answers')
    if (!isNeeded) throw new Skip('No account has a database')
    const down = failure(why ?? 'MariaDB has never been started', 'systemctl start mariadb')
    return fixedBy(down, { do: 'start-service', service: 'mariadb' })
  },
  async settings(panel) {
    requireRoot(panel)
    if (!isUsed(panel) || (await whyNoDatabases(panel.machine)) !== undefined) {
      throw new Skip('MariaDB does not answer')
    }
    const open = await listOpenSettings(panel.machine)
    if (open.length > 0) {
      const words = `MariaDB is less restricted than it should be: ${open.join(', ')}`
      return warning(words, `panel install --databases writes ${settingsFile}, which restricts it`)
    }
    if (isSetUp(panel) && !existsSync(mariadbDropIn)) {
      return warning(`${mariadbDropIn} is missing, which starts MariaDB`, 'Run panel install')
    }
    return well('MariaDB is closed to the network and to files')
  },
}

const isUsed = ({ machine }: DoctorContext): boolean => machine.part(mariaDb).isUsed()

// A sandbox on the same machine has none.
const isSetUp = ({ machine }: DoctorContext): boolean => machine.tools.areRequired && hasDatabases()
