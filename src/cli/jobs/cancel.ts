import { Command, Option } from 'clipanion'
import { cancel } from '../../model/job-actions.ts'
import { fields } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { parseWords } from '../words.ts'
import { IdWord } from './job-words.ts'

export class JobsCancelCommand extends DatabaseCommand {
  static override paths = [['jobs', 'cancel']]
  static override usage = Command.Usage({
    category: 'Jobs',
    description: 'cancel a job that has not begun',
    details: `
      Nothing is done for it. The caller of a request is answered by 500, which says so, and may
      repeat it with the same Idempotency-Key. What has begun runs to its end: it is refused here.
    `,
    examples: [['Cancel a request', '$0 jobs cancel 6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11']],
  })

  id = Option.String({ name: 'ID' })

  async act(): Promise<void> {
    const { ID } = parseWords(IdWord, { ID: this.id })
    const { db } = await this.open()
    const { id, task, account, state } = await cancel(db, ID)
    const result = { id, task, account, state }
    this.show(result, fields(result))
  }
}
