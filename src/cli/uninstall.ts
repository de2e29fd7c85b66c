import { hostname } from 'node:os'
import { Option } from 'clipanion'
import { PanelError } from '../errors.ts'
import { machineOf } from '../host/machine.ts'
import { whyInterrupted } from '../install/preflight.ts'
import { whatIsLost } from '../install/loss.ts'
import { claimInstallation } from '../install/install-lock.ts'
import { ownRelease } from '../install/release.ts'
import { installedSettings, readSettings } from '../install/settings-file.ts'
import { removalSteps, uninstall } from '../install/uninstall.ts'
import { PanelCommand } from './panel-command.ts'
import { confirm, confirmByName } from './terminal-questions.ts'

export class UninstallCommand extends PanelCommand {
  static override summary = 'take the panel off this machine'
  static override details = `
    Stops it and removes its programs, units and its place in nginx. Accounts, homes, websites, the
    database, the settings and the key stay: websites are served on, and \`panel install\` of the
    same release brings the panel back.

    With --purge all of that goes too, and the backups in /var/lib/panel/backups. It asks for the
    server's name, and can't be undone. Packages of the distribution stay.
  `
  static override examples = {
    'Take it off, and keep what it has made': '$0',
    'Take off everything, accounts and homes too': '$0 --purge',
  }

  purge = Option.Boolean('--purge', false, {
    description: 'accounts, homes, database and backups too',
  })
  yes = Option.Boolean('--yes', false, { description: 'ask nothing' })

  async perform(): Promise<void> {
    ownRelease()
    if (process.getuid?.() !== 0) throw new PanelError('forbidden', 'Only root can: use sudo')
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
    else if (left.length === 0) this.report('nothing of the panel is left')
  }

  private async askAnyway(): Promise<void> {
    for (const { name, does } of removalSteps(this.purge)) this.print(`${name}: ${does}\n`)
    if (!this.purge) return confirm(this.context, 'Take the panel off this machine?')
    const name = readSettings(installedSettings)?.['PANEL_HOSTNAME'] ?? hostname()
    return confirmByName(this.context, whatIsLost(), name)
  }
}
