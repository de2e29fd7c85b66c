import { Option } from 'clipanion'
import { add, NewCronJob } from '../../model/cron-jobs/cron-jobs.ts'
import { AccountCommand } from '../account/account-command.ts'
import { cronWords } from './words.ts'

export class CronAddCommand extends AccountCommand {
  static override summary = 'have a command run as an account on a schedule'
  static override details = `
    The schedule is that of crontab(5): minute, hour, day of the month, month and day of the week,
    or @reboot, @hourly, @daily, @weekly, @monthly or @yearly, in the time zone of the server. The
    command is one line for sh. It starts in the home of the account, within the account's limits,
    and not while its last run goes on.
  `
  static override examples = {
    'Run a script every 15 minutes': '$0 alice "*/15 * * * *" "php files/cron.php"',
  }

  schedule = Option.String({ name: 'SCHEDULE' })
  command = Option.String({ name: 'COMMAND' })

  act() {
    return this.write(add, { username: this.username, ...this.parse(NewCronJob) }, cronWords)
  }
}
