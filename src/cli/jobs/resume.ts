import { tasks } from '../../model/jobs/job-tasks.ts'
import { resume } from '../../model/jobs/paused-tasks.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { TaskWord } from './job-words.ts'

export class JobsResumeCommand extends DatabaseCommand {
  static override summary = 'let the jobs of a paused kind begin again'
  static override details = 'What has waited is taken up within a few seconds, the oldest first.'
  static override examples = { 'Send webhooks again': '$0 webhook/deliver' }

  task = argument('TASK', tasks)

  async act(): Promise<void> {
    const { task } = this.parse(TaskWord)
    const { db } = await this.open()
    const change = { action: 'jobs/resume', about: task } as const
    const was_paused = await this.recorded(db, change, own => resume(own, task))
    this.show({ task, was_paused })
  }
}
