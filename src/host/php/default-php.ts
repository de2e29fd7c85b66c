import { rmSync } from 'node:fs'
import { PanelError } from '../../errors.ts'
import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { clearForFile, ensureLink } from '../tools/files.ts'
import { listExtensions } from './extensions.ts'
import { defaultLink } from './instances.ts'
import { programPathOf, versionOf } from './linux-php.ts'
import { phpOf } from './site-php.ts'

/** The version of PHP that accounts run by default, and what websites can choose. */
export const defaultPhpOf = (machine: Machine) =>
  ({
    async choosePhp(version) {
      refuseMissing(machine, version ?? undefined)
      note(machine, version)
      await machine.sync('/etc/panel/php')
      await machine.services.ensureSharedFiles()
    },

    refusePhp(settings, limits) {
      refuseMissing(machine, settings.version)
      const { extensions = {} } = settings
      const { version } = phpOf(machine, { limits }, { settings: { php: settings } }) ?? {}
      const used = version ?? versionOf(machine.php.name())
      // A sandbox may have no version.
      if (used === undefined) return
      const installed = listExtensions(machine, used)
      const missing = Object.keys(extensions).filter(name => !installed.includes(name))
      if (missing.length === 0) return
      const words = `PHP ${used} has no extension ${missing.join(', ')}`
      throw new PanelError('invalid', words, { field: 'php.extensions' })
    },

    notePhp: version => note(machine, version),
  }) satisfies Partial<Host>

function refuseMissing({ php }: Machine, version: string | undefined): void {
  const installed = php.versions()
  if (version === undefined || installed.includes(version)) return
  const others = installed.join(', ') || 'none'
  const words = `PHP ${version} is not installed; installed: ${others}`
  throw new PanelError('invalid', words, { field: 'version' })
}

// A link, as the machine is read without the database.
function note(machine: Machine, version: string | null): void {
  const link = machine.path(defaultLink)
  if (version === null) return rmSync(link, { recursive: true, force: true })
  clearForFile(link)
  ensureLink(link, programPathOf(version))
}
