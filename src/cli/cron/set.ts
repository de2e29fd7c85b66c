import { Option } from 'clipanion'
import { NewCronJob, set } from '../../model/cron-jobs/cron-jobs.ts'
import { AccountCommand } from '../account/account-command.ts'
import { cronWords } from './words.ts'

const Words = NewCronJob.partial()

export class CronSetCommand extends AccountCommand {
  static override summary = 'change the schedule or the command of a cron job'
  static override details =
    'The ID is the one that `panel cron ls` shows. A run that goes on stays.'
  static override examples = { 'Run it at night': '$0 alice 7 --schedule "5 3 * * *"' }

  id = Option.String({ name: 'ID' })
  schedule = Option.String('--schedule', { description: 'when it runs, as crontab(5) has it' })
  command = Option.String('--command', { description: 'what runs: one line for sh' })

  act() {
    const { username, id } = this
    return this.write(set, { username, id, ...this.parse(Words) }, cronWords)
  }
}
