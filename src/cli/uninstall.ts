import { hostname } from 'node:os'
import { Option } from 'clipanion'
import { PanelError } from '../errors.ts'
import { machineOf } from '../host/machine.ts'
import { whyInterrupted } from '../install/preflight.ts'
import { purgeWarning } from '../install/purge-warning.ts'
import { claimInstallation } from '../install/install-lock.ts'
import { ownRelease } from '../install/release.ts'
import { installedSettings, readSettings } from '../install/settings-file.ts'
import { removalSteps, uninstall } from '../install/uninstall.ts'
import { PanelCommand } from './panel-command.ts'
import { confirm, confirmByName } from './terminal-questions.ts'

export class UninstallCommand extends PanelCommand {
  static override summary = 'remove the panel from this server'
  static override details = `
    Stops the panel and removes its programs, units and nginx configuration. Accounts, homes,
    websites, the database, the settings and the key stay: websites are still served, and
    \`panel install\` of the same release brings the panel back.

    With --purge all of these are deleted too, and so are the backups in /var/lib/panel/backups.
    This asks for the server's name and cannot be undone. Packages of the distribution stay.
  `
  static override examples = {
    'Remove the panel and keep the accounts': '$0',
    'Remove everything, including accounts and homes': '$0 --purge',
  }

  purge = Option.Boolean('--purge', false, {
    description: 'also delete accounts, homes, database and backups',
  })
  yes = Option.Boolean('--yes', false, { description: 'do not prompt' })

  async perform(): Promise<void> {
    ownRelease()
    if (process.getuid?.() !== 0)
      throw new PanelError('forbidden', 'Run this command as root: use sudo')
    if (!this.yes) await this.askAnyway()
    claimInstallation()
    const interrupted = this.purge ? undefined : whyInterrupted()
    if (interrupted !== undefined) throw new PanelError('busy', interrupted)
    const machine = machineOf({ host: 'linux', stateDir: '/var/lib/panel' })
    const names = removalSteps(this.purge).map(({ name }) => name)
    let count = 0
    const left = await uninstall({ machine, isPurge: this.purge }, async (name, work) => {
      count += 1
      this.context.stderr.write(`[${count}/${names.length}] ${name}\n`)
      await work()
    })
    for (const sentence of left) this.report(sentence)
    if (!this.purge) this.report('accounts, homes and database are kept')
    else if (left.length === 0) this.report('the panel was removed completely')
  }

  private async askAnyway(): Promise<void> {
    for (const { name, does } of removalSteps(this.purge)) this.print(`${name}: ${does}\n`)
    if (!this.purge) return confirm(this.context, 'Remove the panel from this server?')
    const name = readSettings(installedSettings)?.['PANEL_HOSTNAME'] ?? hostname()
    return confirmByName(this.context, purgeWarning(), name)
  }
}
