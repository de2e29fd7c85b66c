import { existsSync, statfsSync, statSync, type StatsFs } from 'node:fs'
import { accessLog } from '../../host/web/nginx.ts'
import { trashOf } from '../../host/accounts/trash.ts'
import * as health from '../../model/server/database-health.ts'
import { postgresPaths } from '../../start/postgres-paths.ts'
import {
  type Checks,
  failure,
  fixedBy,
  findConcerns,
  type Finding,
  list,
  type DoctorContext,
  requireRoot,
  Skip,
  warning,
  well,
} from './check.ts'

const folders: Record<string, (panel: DoctorContext) => string> = {
  system: ({ machine }) => machine.path('/'),
  homes: ({ machine }) => machine.path('/home'),
  state: ({ config }) => config.stateDir,
  database: databaseFolder,
}

function databaseFolder({ config }: DoctorContext): string {
  if (config.databaseUrl === null) return postgresPaths(config.stateDir).dataDir
  const folder = '/var/lib/postgresql'
  const { hostname, searchParams } = new URL(config.databaseUrl)
  const isHere = hostname === '' || hostname.startsWith('%2F') || searchParams.has('host')
  if (!isHere || !existsSync(folder)) throw new Skip('The database is on another machine')
  return folder
}

const GiB = 2 ** 30

/** Checks the free space of a file system, in bytes. */
export function checkSpace(path: string, free: number, total: number): Finding {
  const words = `${path}: ${(free / GiB).toFixed(1)} of ${(total / GiB).toFixed(1)} GiB free`
  const advice = 'Delete files that are no longer needed (logs, old backups), or enlarge the disk'
  // PostgreSQL stops for good on a full disk; an update and a log rotation need about as much.
  const remedies = [{ do: 'view', page: 'largest-accounts' }, { do: 'empty-trash' }] as const
  if (free < GiB / 2) return fixedBy(failure(words, advice), ...remedies)
  const isScarce = free < 10 * GiB && free < total * 0.1
  return isScarce ? fixedBy(warning(words, advice), ...remedies) : well(words)
}

/** Checks the number of files that a file system can still hold. */
export function checkInodes(path: string, free: number, total: number): Finding {
  // Some file systems make them as they are needed.
  if (total === 0) return well(`${path}: files are not counted`)
  const words = `${path}: ${free} of ${total} files free`
  const advice = 'Find the folder with too many files: du --inodes -x -d 3'
  if (free < total * 0.02) return failure(words, advice)
  return free < total * 0.1 ? warning(words, advice) : well(words)
}

const inFolders = (what: string, decide: (path: string, of: StatsFs) => Finding): Checks =>
  Object.fromEntries(
    Object.entries(folders).map(([name, pathOf]) => [
      `${what}-${name}`,
      panel => decide(pathOf(panel), statfsSync(pathOf(panel))),
    ]),
  )

// A month of a busy server; Debian's rotation is daily.
const longLog = 2 * GiB

/** Checks disk space and anything that fills it. */
export const diskChecks: Checks = {
  ...inFolders('space', (path, { bavail, blocks, bsize }) =>
    checkSpace(path, bavail * bsize, blocks * bsize),
  ),
  ...inFolders('files', (path, { ffree, files }) => checkInodes(path, ffree, files)),
  accounts: panel =>
    findConcerns(panel, 'disk/accounts', {
      isWell: 'No account is nearly full',
      advice: () => 'Move it to a larger package, or ask the customer to delete files',
    }),
  'access-log'(panel) {
    requireRoot(panel)
    const size = statSync(panel.machine.path(accessLog), { throwIfNoEntry: false })?.size ?? 0
    const words = `${accessLog} has ${(size / GiB).toFixed(1)} GiB`
    if (size < longLog) return well(words)
    return warning(
      words,
      'Find out why logrotate does not rotate it: logrotate -d /etc/logrotate.conf',
    )
  },
  async trash(panel) {
    requireRoot(panel)
    const kept = trashOf(panel.machine).listTrash()
    const hours = panel.config.trashHours + 24
    const old = await health.listTerminated(await panel.db(), kept, hours)
    if (old.length === 0) return well('No home is kept longer than it should be')
    const words = `Homes of terminated accounts are still there: ${list(old)}`
    const advice = 'Make sure that the worker is running; its log says why they cannot be deleted'
    return warning(words, advice)
  },
}
