import { existsSync } from 'node:fs'
import { Option, UsageError } from 'clipanion'
import type { Finding, Restored } from '../../backup/restore.ts'
import type { Description } from '../../backup/manifest.ts'
import { PanelError } from '../../errors.ts'
import { showWarnings } from '../../model/server/backup-warnings.ts'
import { release } from '../../model/server/restore-pause.ts'
import { claimStateDir } from '../../start/state-dir.ts'
import { postgresPaths } from '../../start/postgres-paths.ts'
import { progressOf, readBackup } from '../backup/read-backup.ts'
import { fields } from '../columns.ts'
import { optionalArgument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { count } from '../doctor/check.ts'
import { findNewPanel, type Found } from '../find-panel.ts'
import { confirm } from '../terminal-questions.ts'

export class CtlDrRestoreCommand extends DatabaseCommand {
  static override summary = 'restore a backup onto this server'
  static override details = `
    The backup is read to its end first; if it is damaged or the passphrase is wrong, nothing
    changes. The API, worker and courier must be stopped, and do not start before the restore is
    complete. If it is interrupted, run the same command again to continue.

    Operations that were in progress when the backup was made are closed, and their
    Idempotency-Keys are free. Once the panel is started, the worker creates every account on
    the machine. Webhooks, certificates and metering stay paused until \`panel ctl dr-restore
    --release\`; run that once the old server is shut down for good.

    A server that has accounts is refused without --force, which moves their homes aside and
    deletes their rows.
  `
  static override examples = {
    'Show what would change': '$0 /mnt/backups/panel.age --dry-run',
    'Restore a fresh server': '$0 /mnt/backups/panel.age',
    'Restore it from a script': '$0 /mnt/backups/panel.age --passphrase-stdin --yes --json',
    'Resume webhooks, certificates and metering': '$0 --release',
  }

  file = optionalArgument('FILE', 'files')
  passphraseStdin = Option.Boolean('--passphrase-stdin', false, {
    description: 'read the passphrase from standard input',
  })
  dryRun = Option.Boolean('--dry-run', false, {
    description: 'show what would change, without changing anything',
  })
  yes = Option.Boolean('--yes', false, { description: 'do not prompt' })
  force = Option.Boolean('--force', false, {
    description: 'replace the accounts of this server, if any',
  })
  release = Option.Boolean('--release', false, {
    description: 'resume webhooks, certificates and metering on a restored server',
  })

  async act(): Promise<void> {
    if (this.release) return this.releaseServer()
    if (this.file === undefined) throw new UsageError('FILE is required')
    const { context, file, passphraseStdin } = this
    const { description, passphrase } = await readBackup(context, 'Checking', file, passphraseStdin)
    const panel = findNewPanel(context.env)
    await using database = await this.openDatabase(panel)
    const { claimMachine, validate, restore } = await import('../../backup/restore.ts')
    if (!this.dryRun) claimMachine(panel.config)
    const target = { ...panel, description }
    const finding: Finding = database.isThere
      ? await validate(target)
      : { accounts: 0, done: undefined, isOther: false }
    this.refuseLoss(finding)
    if (this.dryRun) return this.showPlan(description, finding)
    if (!this.yes) await confirm(context, questionOf(description, finding))
    if (finding.done !== undefined) this.report('continuing the interrupted restore of this backup')
    const progress = progressOf(context, 'Restoring', file)
    const restoring = restore({ ...target, path: file, passphrase, onBytes: progress.add })
    this.showRestored(description, await restoring.finally(progress.end), panel)
  }

  private async releaseServer(): Promise<void> {
    const isMore = [this.passphraseStdin, this.dryRun, this.force].includes(true)
    if (this.file !== undefined || isMore) {
      throw new UsageError('--release takes no FILE and no other option but --json')
    }
    const { db } = await this.open()
    const paused_since = await release(db)
    this.show({ released: paused_since !== null, paused_since })
    if (paused_since === null) this.report('this server was not paused')
  }

  // Starts the embedded PostgreSQL, which otherwise runs only under `panel start`.
  private async openDatabase({ config }: Found) {
    const end = { isThere: true, [Symbol.asyncDispose]: () => Promise.resolve() }
    if (config.databaseUrl !== null) return end
    claimStateDir(config.stateDir)
    if (this.dryRun && !existsSync(postgresPaths(config.stateDir).dataDir)) {
      return { ...end, isThere: false }
    }
    const { startPostgres } = await import('../../start/embedded-postgres.ts')
    const server = await startPostgres({ stateDir: config.stateDir, durable: true })
    return { ...end, [Symbol.asyncDispose]: () => server.stop() }
  }

  private refuseLoss({ accounts, isOther }: Finding): void {
    if (this.force) return
    if (isOther) {
      const words = 'A restore of another backup was interrupted; use --force to abandon it'
      throw new PanelError('busy', words)
    }
    if (accounts === 0) return
    const words = `This server has ${count(accounts, 'account')}; use --force to replace them`
    throw new PanelError('busy', words)
  }

  private showPlan(description: Description, { accounts, done = [] }: Finding): void {
    const plan = { ...described(description), lost_accounts: accounts, done }
    this.show({ would_restore: plan }, fields(plan))
    this.report('nothing was changed')
  }

  private showRestored(description: Description, restored: Restored, { starter }: Found): void {
    const { accounts, operations: closed_operations, databases, put_aside, warnings } = restored
    const left = showWarnings(warnings)
    const made = { accounts, databases, closed_operations, put_aside, warnings: left }
    const messages = left.map(({ message }) => message)
    const plan = described(description)
    this.show({ ...plan, ...made }, fields({ ...plan, ...made, warnings: messages }))
    for (const message of messages) this.report(`left out: ${message}`)
    const start = starter === 'panel start' ? 'panel start' : 'the panel'
    this.report(`start ${start} now: its worker creates the accounts on this machine`)
    if (databases > 0) {
      this.report(
        `${count(databases, 'database')} recreated empty: fill each one with panel database import`,
      )
    }
    this.report('webhooks and metering stay paused until panel ctl dr-restore --release')
    if (put_aside.length > 0) this.report(`previous files were moved to ${put_aside.join(', ')}`)
  }
}

const described = ({ id, created_at, server, server_id, accounts }: Description) => ({
  id,
  created_at,
  server,
  server_id,
  accounts: accounts.length,
})

const questionOf = ({ server, created_at }: Description, { accounts }: Finding): string =>
  `This server becomes ${server} as it was at ${created_at}${
    accounts === 0 ? '' : `, replacing its ${count(accounts, 'account')}`
  }.`
