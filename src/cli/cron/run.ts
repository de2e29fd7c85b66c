import { Option } from 'clipanion'
import { runNow } from '../../model/cron-jobs/cron-jobs.ts'
import { AccountCommand } from '../account/account-command.ts'
import { cronWords } from './words.ts'

export class CronRunCommand extends AccountCommand {
  static override summary = 'run a cron job of an account now'
  static override details = `
    Starts the job and waits at most a second for it; \`panel cron ls\` shows how it ended. The
    job does not start while its previous run is in progress.
  `
  static override examples = { 'Run one': '$0 alice 7' }

  id = Option.String({ name: 'ID' })

  act() {
    const { username, id } = this
    return this.write(runNow, { username, id }, cronWords)
  }
}
