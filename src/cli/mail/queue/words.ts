import { Option } from 'clipanion'
import { QueuedMessages } from '../../../model/server/queue-changes.ts'
import { fields } from '../../columns.ts'
import { WriteCommand } from '../../write-command.ts'

/** A command that changes messages of the queue. */
export abstract class QueueCommand extends WriteCommand {
  messages = Option.Rest({ name: 'ID', required: 1 })

  /** @throws {PanelError} `invalid` */
  protected idsOf(): { messages: string[] } {
    return this.parse(QueuedMessages)
  }
}

/** Returns an answer in words; messages that did not wait any more are left out. */
export const queueWords =
  <Verb extends 'retried' | 'deleted'>(verb: Verb) =>
  (answer: Record<Verb, string[]>) =>
    fields({
      [verb]: answer[verb].length === 0 ? 'none: they wait no more' : answer[verb].join(', '),
    })
