import { Option } from 'clipanion'
import { z } from 'zod'
import type { Pool } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { hasKernel } from '../../host/accounts/user-processes.ts'
import { machineOf } from '../../host/machine.ts'
import { versionOf } from '../../host/php/linux-php.ts'
import { claimInstallation } from '../../install/install-lock.ts'
import { installPhp, planPhp } from '../../install/php-versions.ts'
import {
  choosePhp,
  listPhpPackaged,
  listPhpSites,
  readPhpVersion,
} from '../../model/server/php-versions.ts'
import { phpVersion } from '../../model/sites/php-settings.ts'
import { DatabaseCommand } from '../database-command.ts'
import { execute } from '../execute.ts'
import type { Found } from '../find-panel.ts'
import { showProgress } from '../step-progress.ts'
import { applyPhp } from './apply-php.ts'

const Words = z.object({ version: phpVersion })

export class PhpInstallCommand extends DatabaseCommand {
  static override summary = 'install a version of PHP from the sources of packages on this server'
  static override details = `
    Installs phpX.Y-fpm and the usual extensions with apt-get, and switches the package's own
    service off. It adds no source of packages: if apt does not know the version, nothing
    changes. Accounts keep the version that they run by default. If it was interrupted, run it
    again: it completes what was begun.
  `
  static override examples = { 'Install PHP 8.4': '$0 8.4' }

  version = Option.String({ name: 'VERSION' })
  dryRun = Option.Boolean('--dry-run', false, { description: 'show what would be installed' })

  async act(): Promise<void> {
    const { version } = this.parse(Words)
    const panel = await this.open()
    if (!hasKernel(machineOf(panel.config))) {
      throw new PanelError('unavailable', 'The sandbox host installs no packages')
    }
    if (!this.dryRun && process.getuid?.() !== 0) {
      throw new PanelError('forbidden', 'Run this command as root: use sudo')
    }
    if (!this.dryRun) claimInstallation()
    const plan = await planPhp(version)
    const { missing, unavailable } = plan
    if (!this.dryRun) {
      for (const name of missing) this.report(`installing ${name}`)
      if (missing.length > 0) await this.keepDefault(panel, version)
      const { show, clear } = showProgress(this.context.stderr)
      await installPhp(version, plan, show).finally(clear)
      const waiting = (await listPhpSites(panel.db)).filter(one => one.version === version)
      const packaged = await listPhpPackaged(panel.db, version)
      await applyPhp(panel.db, [...waiting.map(({ accountId }) => accountId), ...packaged])
    }
    for (const name of unavailable) this.report(`${name} is not in the sources`)
    const answer = { version, installed: missing, unavailable }
    const words = missing.length === 0 ? `PHP ${version} is installed already\n` : undefined
    this.show(answer, words ?? missing.map(name => `${name}\n`).join(''))
  }

  /** Chooses the current default before a newer version becomes the newest. */
  private async keepDefault(panel: Found & { db: Pool }, version: string): Promise<void> {
    if ((await readPhpVersion(panel.db)) !== null) return
    const { php } = machineOf(panel.config)
    const current = php.versions().length === 0 ? undefined : versionOf(php.name())
    if (current === undefined || current === version) return
    const isNewer = version.localeCompare(current, 'en', { numeric: true }) > 0
    if (!isNewer) return
    const options = { key: undefined, waitMs: waitMs }
    const outcome = await execute(panel, choosePhp, { version: current }, options)
    if (outcome.is === 'answered' && outcome.answer.status < 400) {
      this.report(`accounts keep PHP ${current}; panel php default ${version} changes that`)
      return
    }
    const words =
      `Accounts could not be kept at PHP ${current}, so nothing was installed: ` +
      `run panel php default ${current} first`
    throw new PanelError('unavailable', words)
  }
}

const waitMs = 60_000
