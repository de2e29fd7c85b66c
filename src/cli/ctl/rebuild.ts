import { Option } from 'clipanion'
import type { Config } from '../../config.ts'
import type { Pool } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { unknown } from '../../model/accounts/accounts.ts'
import { rebuildTask } from '../../model/jobs/job-tasks.ts'
import { isPaused } from '../../model/jobs/paused-tasks.ts'
import * as rebuilds from '../../model/jobs/rebuilds.ts'
import { completing } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { count } from '../doctor/check.ts'
import type { Found } from '../find-panel.ts'
import { oneLine } from '../foreign-text.ts'
import type { ExitCode } from '../panel-command.ts'
import { openProgress } from '../progress.ts'

// The time without progress after which the reason is reported.
const idleMs = 1_000

export class CtlRebuildCommand extends DatabaseCommand {
  static override summary = "re-apply every account's configuration to the server"
  static override details = `
    The worker rebuilds several accounts at a time and reports what differed. It starts neither
    nginx nor sshd, but reports if one of them is not running. After a boot, the worker rebuilds
    accounts that differ by itself.
  `
  static override examples = {
    'Rebuild every account': '$0',
    'Show what would change for one': '$0 --dry-run alice',
  }

  dryRun = Option.Boolean('--dry-run', false, {
    description: 'show what would change, without changing anything',
  })
  usernames = completing('accounts', Option.Rest({ name: 'USERNAME' }))

  async act(): Promise<ExitCode> {
    const panel = await this.open()
    return this.dryRun ? this.compare(panel) : this.rebuild(panel)
  }

  private async rebuild(panel: Open): Promise<ExitCode> {
    const { db, config } = panel
    const accounts = await rebuilds.listNames(db, this.usernames)
    this.refuseUnknown(accounts)
    const reason = await whyNothingBegins(db)
    if (reason !== undefined) throw new PanelError('unavailable', reason)
    const shared = await compareShared(config)
    const ended = await this.rebuildAll(db, accounts)
    await rebuilds.rebuildServer(db)
    ended.sort((one, other) => (one.username < other.username ? -1 : 1))
    const failed = ended.flatMap(({ username, error }) =>
      error === null ? [] : [{ username, error }],
    )
    const differing = ended.filter(({ differed }) => differed.length > 0)
    const differed = differing.map(one => ({ username: one.username, differences: one.differed }))
    const still = new Set(await compareShared(config))
    const lines = [
      ...shared.map(words => `${all}: ${words}`),
      ...[...still].map(words => `${all}: ${words} and could not be corrected`),
      ...differed.flatMap(one => one.differences.map(words => `${one.username}: ${words}`)),
      ...failed.map(({ username, error }) => `${username}: ${error}`),
    ]
    const rebuilt = ended.length - failed.length
    const warnings = await rebuilds.listLacking(db)
    const reported = { rebuilt, shared, shared_failed: [...still], differed, failed, warnings }
    this.show(reported, lines.map(line => `${oneLine(line)}\n`).join(''))
    for (const warning of warnings) this.report(warning)
    this.report(
      `${count(rebuilt, 'account')} rebuilt, ${failed.length} failed, ${differed.length} differed`,
    )
    return failed.length === 0 && still.size === 0 ? 0 : 1
  }

  private async rebuildAll(db: Pool, accounts: readonly { id: string }[]) {
    const progress = openProgress(this.context.stderr, 'Rebuilding', accounts.length)
    const all: rebuilds.Ended[] = []
    const onIdle = this.reportingWhy(db)
    let idleAt = performance.now()
    try {
      const ids = accounts.map(({ id }) => id)
      for await (const ended of rebuilds.rebuild(db, ids)) {
        const isIdle = performance.now() - idleAt > idleMs
        if (ended.length > 0) progress.add(ended.length)
        else if (isIdle) await onIdle()
        if (ended.length > 0 || isIdle) idleAt = performance.now()
        all.push(...ended)
      }
      return all
    } finally {
      progress.end()
    }
  }

  /** Reports why no job starts, once per reason. */
  private reportingWhy(db: Pool): () => Promise<void> {
    let reported: string | undefined
    return async () => {
      const why = await whyNothingBegins(db)
      if (why !== undefined && why !== reported) this.report(`waiting: ${why}`)
      reported = why
    }
  }

  private async compare({ db, config }: Open): Promise<ExitCode> {
    const accounts = await rebuilds.list(db, this.usernames)
    this.refuseUnknown(accounts.map(({ record }) => record))
    const { compare, compareShared, inWords } = await accountDrift()
    const shared = compareShared(config)
    const progress = openProgress(this.context.stderr, 'Comparing', accounts.length)
    const differing = await compare(config, accounts, progress.add).finally(progress.end)
    const texts = differing.map(({ username, differences }) => inWords(username, differences))
    this.show({ shared, accounts: differing }, [inWords(all, shared), ...texts].join(''))
    this.report(`${differing.length} of ${accounts.length} accounts differ`)
    return 0
  }

  private refuseUnknown(accounts: readonly { username: string }[]): void {
    const known = new Set(accounts.map(({ username }) => username))
    const missing = this.usernames.find(name => !known.has(name))
    if (missing !== undefined) throw unknown(missing)
  }
}

type Open = Found & { db: Pool }

/** Stands for all accounts; no username has a space. */
const all = 'all accounts'

// Loaded only once the database has answered, because it takes long.
const accountDrift = () => import('./account-drift.ts')

async function compareShared(config: Config): Promise<string[]> {
  const { compareShared, inShort } = await accountDrift()
  return compareShared(config).map(inShort)
}

/** Returns why no job of a rebuild can start now; undefined if one can. */
async function whyNothingBegins(db: Pool): Promise<string | undefined> {
  if (!(await rebuilds.isWorkerUp(db)))
    return 'The worker, which rebuilds accounts, is not running: start it'
  for (const task of ['account/apply', 'server/apply', rebuildTask]) {
    if (!(await isPaused(db, task))) continue
    return `${task} is paused; \`panel jobs resume ${task}\` ends that`
  }
  return undefined
}
