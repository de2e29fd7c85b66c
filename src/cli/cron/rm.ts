import { Option } from 'clipanion'
import { remove } from '../../model/cron-jobs/cron-jobs.ts'
import { AccountCommand } from '../account/account-command.ts'
import { cronWords } from './words.ts'

export class CronRmCommand extends AccountCommand {
  static override summary = 'remove a cron job of an account'
  static override details = 'Take the ID from `panel cron ls`. A run in progress continues.'
  static override examples = { 'Remove a job without confirmation': '$0 alice 7 --yes' }

  id = Option.String({ name: 'ID' })

  async act() {
    const { username, id } = this
    await this.ask(`Remove the cron job ${id} of ${username}?`)
    return this.write(remove, { username, id }, cronWords)
  }
}
