import type { Db } from '../../db.ts'
import { newestBackup } from '../../model/server/backups.ts'
import { describeBacklog } from '../../model/server/database-health.ts'
import { pausedSince, isRestorePaused } from '../../model/server/restore-pause.ts'
import { type Checks, duration, type DoctorContext, Skip, warning, well } from './check.ts'

// Older than this it would take most customers' changes with it.
const oldSeconds = 7 * 86_400

/** Checks the backups of this server, and whether it was itself restored from one. */
export const backupChecks: Checks = {
  async age(panel) {
    const newest = await newestBackup(await panel.db())
    const advice = 'Run panel backup create every night, and store the backups elsewhere'
    if (newest === undefined) {
      await requireAccounts(panel)
      return warning('There is no backup of this server', advice)
    }
    const age = duration((Date.now() - newest.started_at.getTime()) / 1_000)
    const words = `The newest backup was made ${age} ago`
    return Date.now() - newest.started_at.getTime() < oldSeconds * 1_000
      ? well(words)
      : warning(words, advice)
  },
  async paused({ db }) {
    const since = await pausedSince(await db())
    if (since === null) return well('Webhooks, certificates and metering are on')
    const { due } = await describeBacklog(await db())
    const words = `This server was restored; it has been paused since ${since.toISOString()}: \
${due} deliveries wait, and so do certificates and metering`
    return warning(
      words,
      'Run panel ctl dr-restore --release once the old server is shut down for good',
    )
  },
}

/** @throws {Skip} of a restored server, where what waits is meant to */
export async function requireReleased(db: Db): Promise<void> {
  if (await isRestorePaused(db))
    throw new Skip('Waits for panel ctl dr-restore --release: see backups')
}

// A new panel, on trial, has nothing to lose yet.
async function requireAccounts({ rows }: DoctorContext): Promise<void> {
  if ((await rows()).length === 0) throw new Skip('There are no accounts to back up')
}
