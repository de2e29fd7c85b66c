import { Command, Option } from 'clipanion'
import { retry } from '../../model/job-actions.ts'
import { fields } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { parseWords } from '../words.ts'
import { IdWord } from './job-words.ts'

export class JobsRetryCommand extends DatabaseCommand {
  static override paths = [['jobs', 'retry']]
  static override usage = Command.Usage({
    category: 'Jobs',
    description: 'make a failed job due again',
    details: `
      A failed delivery is sent again as a new one, of a hook run those scripts run again that have
      not succeeded, maintenance and what waits for its next try are due at once. A request that was
      answered is refused: its caller repeats it, with its Idempotency-Key.
    `,
    examples: [
      ['Send a delivery again', '$0 jobs retry 7c9e6679-7425-40de-944b-e07fc1f90ae7'],
      ['Run the failed hook scripts of an event again', '$0 jobs retry hook:17'],
    ],
  })

  id = Option.String({ name: 'ID' })

  async act(): Promise<void> {
    const { ID: id } = parseWords(IdWord, { ID: this.id })
    const { db } = await this.open()
    const result = { id: await retry(db, id), retry_of: id }
    this.show(result, fields(result))
  }
}
