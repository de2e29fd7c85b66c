import { hostname } from 'node:os'
import { Option } from 'clipanion'
import { PanelError } from '../errors.ts'
import { dumpedAt, dumpOf } from '../install/update/dump.ts'
import { finishInterrupted } from '../install/update/unit.ts'
import { knownTo, requireKnownWork, requirePrevious } from '../install/update/rollback-target.ts'
import { installedSettings, readSettings } from '../install/settings-file.ts'
import { DatabaseCommand } from './database-command.ts'
import { lines } from './foreign-text.ts'
import type { ExitCode } from './panel-command.ts'
import { confirm, confirmByName } from './terminal-questions.ts'
import { followed, requireInstalled } from './update.ts'

export class RollbackCommand extends DatabaseCommand {
  static override summary = 'roll back to the previous release'
  static override details = `
    The database keeps its rows: the previous release works with the newer schema. A rollback is
    refused while operations are in progress that the previous release does not know.

    With --restore-database the database returns to its state at the update. All later changes
    are lost, and the command asks for the server's name. Accounts terminated since stay
    suspended, rights revoked since stay revoked, and webhooks, certificates and metering stay
    paused until \`panel ctl dr-restore --release\`.
  `
  static override examples = {
    'Roll back': '$0',
    'Restore the database too': '$0 --restore-database',
  }

  restoreDatabase = Option.Boolean('--restore-database', false, {
    description: 'also restore the database, losing all changes since the update',
  })
  yes = Option.Boolean('--yes', false, { description: 'do not prompt' })

  async act(): Promise<ExitCode> {
    requireInstalled()
    await finishInterrupted(words => this.report(words))
    const { version } = requireInstalled()
    const to = requirePrevious()
    const { db } = await this.open()
    const leftAlone = await requireKnownWork(db, to, await knownTo(to))
    if (leftAlone !== undefined) this.report(leftAlone)
    if (this.restoreDatabase) await this.askForLoss(to)
    else if (!this.yes) await confirm(this.context, `${version} → ${to}.`)
    const request = {
      ...{ kind: 'rollback' as const, to, manifest: null },
      restoresDatabase: this.restoreDatabase,
    }
    return followed(request, text => this.context.stderr.write(lines(text)))
  }

  private async askForLoss(to: string): Promise<void> {
    const at = dumpedAt(dumpOf(to))
    if (at === undefined) throw new PanelError('invalid', `There is no dump of ${to}`)
    if (this.yes) return
    const name = readSettings(installedSettings)?.['PANEL_HOSTNAME'] ?? hostname()
    const loss = `All changes since ${at} will be lost: accounts, settings, usage, history.`
    await confirmByName(this.context, loss, name)
  }
}
