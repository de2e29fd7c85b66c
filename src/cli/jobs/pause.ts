import { tasks } from '../../model/jobs/job-tasks.ts'
import { pause } from '../../model/jobs/paused-tasks.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { TaskWord } from './job-words.ts'

export class JobsPauseCommand extends DatabaseCommand {
  static override summary = 'pause one kind of task until it is resumed'
  static override details = `
    Running jobs finish. New jobs wait, even across restarts; the operations of an account keep
    their order, so later ones wait for a paused one. Scheduled maintenance is skipped
    meanwhile, and \`panel ctl rebuild\` is refused while maintenance/rebuild is paused.
  `
  static override examples = {
    'Pause webhooks': '$0 webhook/deliver',
    'Pause the creation of accounts': '$0 account/create',
  }

  task = argument('TASK', tasks)

  async act(): Promise<void> {
    const { task } = this.parse(TaskWord)
    const { db } = await this.open()
    this.show(
      await this.recorded(db, { action: 'jobs/pause', about: task }, own => pause(own, task)),
    )
  }
}
