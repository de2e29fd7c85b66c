import { tasks } from '../../model/jobs/job-tasks.ts'
import { pause } from '../../model/jobs/paused-tasks.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { TaskWord } from './job-words.ts'

export class JobsPauseCommand extends DatabaseCommand {
  static override summary = 'let no job of one kind begin until it is resumed'
  static override details = `
    What is running ends. What is asked for waits, also over restarts; the operations of an
    account keep their order, so that others wait behind one that is paused. Maintenance that is
    due by the clock is left out meanwhile, and \`panel ctl rebuild\` is refused while
    maintenance/rebuild is paused.
  `
  static override examples = {
    'Send no webhooks for now': '$0 webhook/deliver',
    'Create no accounts for now': '$0 account/create',
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
