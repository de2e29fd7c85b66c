import { rmSync } from 'node:fs'
import { PanelError } from '../../errors.ts'
import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { clearForFile, ensureLink } from '../tools/files.ts'
import { defaultLink } from './instances.ts'
import { programPathOf } from './linux-php.ts'

/** The version of PHP that accounts run by default. */
export const defaultPhpOf = (machine: Machine) =>
  ({
    async choosePhp(version) {
      const installed = machine.php.versions()
      if (version !== null && !installed.includes(version)) {
        const others = installed.join(', ') || 'none'
        const words = `PHP ${version} is not installed; installed: ${others}`
        throw new PanelError('invalid', words, { field: 'version' })
      }
      note(machine, version)
      await machine.sync('/etc/panel/php')
      await machine.services.ensureSharedFiles()
    },

    notePhp: version => note(machine, version),
  }) satisfies Partial<Host>

// A link, as the machine is read without the database.
function note(machine: Machine, version: string | null): void {
  const link = machine.path(defaultLink)
  if (version === null) return rmSync(link, { recursive: true, force: true })
  clearForFile(link)
  ensureLink(link, programPathOf(version))
}
