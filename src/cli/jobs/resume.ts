import { Command, Option } from 'clipanion'
import { resume } from '../../model/paused-tasks.ts'
import { DatabaseCommand } from '../database-command.ts'
import { parseWords } from '../words.ts'
import { TaskWord } from './job-words.ts'

export class JobsResumeCommand extends DatabaseCommand {
  static override paths = [['jobs', 'resume']]
  static override usage = Command.Usage({
    category: 'Jobs',
    description: 'let the jobs of a paused kind begin again',
    details: 'What has waited is taken up within a few seconds, the oldest first.',
    examples: [['Send webhooks again', '$0 jobs resume webhook/deliver']],
  })

  task = Option.String({ name: 'TASK' })

  async act(): Promise<void> {
    const { TASK: task } = parseWords(TaskWord, { TASK: this.task })
    const { db } = await this.open()
    const result = { task, was_paused: await resume(db, task) }
    this.show(result)
  }
}
