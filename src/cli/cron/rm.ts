import { Option } from 'clipanion'
import { remove } from '../../model/cron-jobs/cron-jobs.ts'
import { AccountCommand } from '../account/account-command.ts'
import { cronWords } from './words.ts'

export class CronRmCommand extends AccountCommand {
  static override summary = 'remove a cron job of an account'
  static override details =
    'The ID is the one that `panel cron ls` shows. A run that goes on stays.'
  static override examples = { 'Remove one, without a question': '$0 alice 7 --yes' }

  id = Option.String({ name: 'ID' })

  async act() {
    const { username, id } = this
    await this.ask(`Remove the cron job ${id} of ${username}?`)
    return this.write(remove, { username, id }, cronWords)
  }
}
