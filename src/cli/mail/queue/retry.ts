import { retryQueued } from '../../../model/server/queue-changes.ts'
import { QueueCommand, queueWords } from './words.ts'

export class MailQueueRetryCommand extends QueueCommand {
  static override summary = 'try waiting messages again now'
  static override details = `
    Messages on hold are released, even those of a suspended account. To retry all others, run
    postqueue -f.
  `
  static override examples = { 'Try one again': '$0 4bQx0z1Kd2z9tY' }

  act() {
    return this.write(retryQueued, this.idsOf(), queueWords('retried'))
  }
}
