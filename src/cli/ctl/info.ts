import { installationDir, version } from '../../config.ts'
import type { Pool } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { readRelease } from '../../install/release.ts'
import { readHistory, readJournal } from '../../install/update/journal.ts'
import { describeDatabase, type DatabaseState } from '../../model/server/database.ts'
import { pausedSince } from '../../model/server/restore-pause.ts'
import { findNewer } from '../../model/server/newest-release.ts'
import { listProcesses, type ProcessState } from '../../model/server/panel-processes.ts'
import { fields } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { findPanel, type Found } from '../find-panel.ts'
import { describeInstalled, type DescribedLicense } from '../license/described.ts'
import type { ExitCode } from '../panel-command.ts'

export class CtlInfoCommand extends DatabaseCommand {
  static override summary = 'show version, server ID, license plan and the state of the processes'
  static override details = `
    The uptime of a process is that of the oldest of its kind. If the database is down, the
    values that it holds are missing and the exit code is 1. A server that was restored from a
    backup is paused until \`panel ctl dr-restore --release\`.
  `
  static override examples = {
    'Show what is installed': '$0',
    'For a script': '$0 --json',
  }

  async act(): Promise<ExitCode> {
    const panel = findPanel(this.context.env)
    let db: Pool
    try {
      db = (await this.open()).db
    } catch (error) {
      if (!(error instanceof PanelError)) throw error
      this.present(panel, undefined)
      return this.refuse(error)
    }
    this.present(panel, {
      database: await describeDatabase(db),
      license: (await describeInstalled(db, panel.license)).result,
      processes: await listProcesses(db),
      pausedSince: await pausedSince(db),
      newer: await findNewer(db, version),
    })
    return 0
  }

  private present({ config }: Found, known: Known | undefined): void {
    const release = readRelease(installationDir)
    const updates = updatesOf(release !== undefined)
    const result = {
      version,
      /** The commit that the release was built from; null in a checkout. */
      commit: release?.commit ?? null,
      /** The newest available release; null if there is none. */
      newer: known?.newer ?? null,
      ...updates,
      server_id: known?.license.server_id ?? null,
      plan: known?.license.plan ?? null,
      license: known === undefined ? null : licenseOf(known.license),
      host: { name: config.serverName, kind: config.host },
      database: { is_reachable: known !== undefined, ...known?.database },
      accounts: known?.license.accounts ?? null,
      paused_since: known?.pausedSince ?? null,
      processes: known?.processes ?? null,
    }
    const { rollback_to, interrupted_update } = updates
    const words = fields({
      version,
      ...(release === undefined ? {} : { commit: release.commit }),
      ...(result.newer === null ? {} : { 'can be updated to': result.newer }),
      ...(rollback_to === null ? {} : { 'can be rolled back to': rollback_to }),
      ...(interrupted_update === null ? {} : { 'interrupted update to': interrupted_update }),
      'server ID': result.server_id,
      license: known === undefined ? null : planInWords(known.license),
      host: `${config.serverName} (${config.host})`,
      database: known === undefined ? 'down' : databaseInWords(known.database),
      accounts: result.accounts,
      ...(result.paused_since === null ? {} : { 'paused since': result.paused_since }),
      ...Object.fromEntries(
        (known?.processes ?? []).map(one => [one.name, processInWords(one)] as const),
      ),
    })
    this.show(result, words)
    if (result.paused_since !== null) this.report(releaseAdvice)
  }
}

const releaseAdvice =
  'this server was restored: webhooks, certificates and metering stay paused until \
`panel ctl dr-restore --release`'

// Written by root, for root alone.
function updatesOf(isRelease: boolean) {
  const isReadable = isRelease && process.getuid?.() === 0
  return {
    /** The release that `panel rollback` goes back to. */
    rollback_to: isReadable ? (readHistory().previous[0] ?? null) : null,
    /** The target of an update or rollback that is in progress or was interrupted. */
    interrupted_update: isReadable ? (readJournal()?.to ?? null) : null,
  }
}

/** The fields that only the database has. */
type Known = {
  database: DatabaseState
  license: DescribedLicense
  processes: ProcessState[]
  pausedSince: Date | null
  newer: string | null
}

const licenseOf = ({ is_valid, reason, max_accounts, expires_at }: DescribedLicense) => ({
  is_valid,
  reason,
  max_accounts,
  expires_at,
})

const planInWords = ({ plan, reason }: DescribedLicense): string =>
  [plan, reason].filter(text => text !== null).join(': ')

const databaseInWords = ({ version, size_bytes }: DatabaseState): string =>
  `PostgreSQL ${version}, ${(size_bytes / 1_048_576).toFixed(1)} MB`

function processInWords({ count, uptime_s }: ProcessState): string {
  if (count === 0) return 'down'
  const time = uptime_s === null ? 'up' : `up for ${durationInWords(uptime_s)}`
  return count === 1 ? time : `${time}, ${count} of them`
}

function durationInWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes === 0) return `${seconds} s`
  if (hours === 0) return `${minutes} min`
  if (hours < 24) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
