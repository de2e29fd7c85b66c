import { Option } from 'clipanion'
import { z } from 'zod'
import * as writes from '../../model/account-writes.ts'
import { parseWords } from '../words.ts'
import { AccountCommand, accountWords } from './account-command.ts'

const Words = z.object({ '--reason': writes.Suspension.shape.reason })

export class AccountSuspendCommand extends AccountCommand {
  static override summary = 'suspend an account'
  static override examples = { 'Suspend an account': '$0 alice --reason overdue' }

  reason = Option.String('--reason', { description: 'shown with the account and in the event' })

  act() {
    const words = parseWords(Words, { '--reason': this.reason })
    const wanted = { username: this.username, reason: words['--reason'] }
    return this.write(writes.suspend, wanted, accountWords)
  }
}
