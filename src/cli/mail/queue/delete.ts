import { deleteQueued } from '../../../model/server/queue-changes.ts'
import { QueueCommand, queueWords } from './words.ts'

export class MailQueueDeleteCommand extends QueueCommand {
  static override summary = 'delete waiting messages'
  static override details = 'Neither its sender nor its recipients get a notice.'
  static override examples = { 'Delete one without confirmation': '$0 4bQx0z1Kd2z9tY --yes' }

  async act() {
    const ids = this.idsOf()
    await this.ask(`Delete ${ids.messages.join(', ')} from the queue?`)
    return this.write(deleteQueued, ids, queueWords('deleted'))
  }
}
