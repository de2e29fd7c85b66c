import { rootCaller } from '../../model/signing-in/callers.ts'
import { listFor } from '../../model/cron-jobs/cron-jobs.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { oneLine } from '../foreign-text.ts'
import { tookOf } from './words.ts'

export class CronLsCommand extends DatabaseCommand {
  static override summary = 'list the cron jobs of an account'
  static override details = `
    Runs appear within a minute of their start and end. The last line of a run's output is
    shown; --json includes all that is kept of it. Below the jobs are the lines of the account's own
    crontab, which \`crontab -u USERNAME -e\` changes, and the limits of the package that the jobs
    exceed.
  `
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const found = await listFor(db, await rootCaller(db), this.username)
    const rows = found.cron_jobs.map(({ id, schedule, command, running_since, last_run }) => [
      ...[id, schedule, running_since === null ? (last_run?.started_at ?? 'never') : 'running'],
      ...(last_run === null ? ['', ''] : [tookOf(last_run), String(last_run.exit_code)]),
      ...[command, lastLine(last_run?.output ?? '')],
    ])
    const head = ['ID', 'SCHEDULE', 'LAST RUN', 'TOOK', 'EXIT', 'COMMAND', 'OUTPUT']
    const own = found.crontab.map(line => `  ${oneLine(line)}\n`).join('')
    const more = [
      own === '' ? '' : `\nThe account's own crontab:\n${own}`,
      ...found.excess.map(sentence => `\n${sentence}\n`),
    ]
    this.show(found, display => table(head, rows)(display) + more.join(''))
  }
}

const maxLength = 60

/** Returns the last line of an output, shortened. */
function lastLine(output: string): string {
  const line = output.trimEnd().split('\n').at(-1) ?? ''
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}
