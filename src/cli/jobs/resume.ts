import { tasks } from '../../model/jobs/job-tasks.ts'
import { resume } from '../../model/jobs/paused-tasks.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { TaskWord } from './job-words.ts'

export class JobsResumeCommand extends DatabaseCommand {
  static override summary = 'resume a paused kind of task'
  static override details = 'Waiting jobs start within a few seconds, oldest first.'
  static override examples = { 'Resume webhooks': '$0 webhook/deliver' }

  task = argument('TASK', tasks)

  async act(): Promise<void> {
    const { task } = this.parse(TaskWord)
    const { db } = await this.open()
    const change = { action: 'jobs/resume', about: task } as const
    const was_paused = await this.recorded(db, change, own => resume(own, task))
    this.show({ task, was_paused })
  }
}
