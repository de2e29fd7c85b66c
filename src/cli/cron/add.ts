import { Option } from 'clipanion'
import { add, NewCronJob } from '../../model/cron-jobs/cron-jobs.ts'
import { AccountCommand } from '../account/account-command.ts'
import { cronWords } from './words.ts'

export class CronAddCommand extends AccountCommand {
  static override summary = 'run a command on a schedule as an account'
  static override details = `
    The schedule uses crontab(5) syntax: minute, hour, day of the month, month and day of the
    week, or @reboot, @hourly, @daily, @weekly, @monthly or @yearly, in the server's time zone.
    The command is one line for sh. It starts in the account's home, within the account's
    limits, and is skipped while its previous run is in progress.
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
