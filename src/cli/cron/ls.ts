import { rootCaller } from '../../model/signing-in/callers.ts'
import { listFor } from '../../model/cron-jobs/cron-jobs.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class CronLsCommand extends DatabaseCommand {
  static override summary = 'list the cron jobs of an account'
  static override details = `
    Runs appear within a minute of their start and end; --json includes the output of the last
    one. Jobs in the account's own crontab are not listed; use crontab -l -u USERNAME.
  `
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const found = await listFor(db, await rootCaller(db), this.username)
    const rows = found.cron_jobs.map(({ id, schedule, command, running_since, last_run }) => [
      ...[id, schedule, running_since === null ? (last_run?.started_at ?? 'never') : 'running'],
      ...[last_run === null ? '' : String(last_run.exit_code), command],
    ])
    this.show(found, table(['ID', 'SCHEDULE', 'LAST RUN', 'EXIT', 'COMMAND'], rows))
  }
}
