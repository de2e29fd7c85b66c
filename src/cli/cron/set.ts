import { Option } from 'clipanion'
import { NewCronJob, set } from '../../model/cron-jobs/cron-jobs.ts'
import { AccountCommand } from '../account/account-command.ts'
import { cronWords } from './words.ts'

const Words = NewCronJob.partial()

export class CronSetCommand extends AccountCommand {
  static override summary = 'change the schedule or the command of a cron job'
  static override details = 'Take the ID from `panel cron ls`. A run in progress continues.'
  static override examples = { 'Run it at night': '$0 alice 7 --schedule "5 3 * * *"' }

  id = Option.String({ name: 'ID' })
  schedule = Option.String('--schedule', { description: 'when it runs, in crontab(5) syntax' })
  command = Option.String('--command', { description: 'the command: one line for sh' })

  act() {
    const { username, id } = this
    return this.write(set, { username, id, ...this.parse(Words) }, cronWords)
  }
}
