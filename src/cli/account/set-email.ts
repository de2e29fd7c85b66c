import { Option } from 'clipanion'
import { z } from 'zod'
import * as writes from '../../model/account-writes.ts'
import { parseWords } from '../words.ts'
import { AccountCommand, accountWords } from './account-command.ts'

const Words = z.object({ EMAIL: writes.EmailChange.shape.email })

export class AccountSetEmailCommand extends AccountCommand {
  static override summary = "change an account's e-mail address"
  static override examples = { 'Change the address': '$0 alice alice@example.org' }

  email = Option.String({ name: 'EMAIL' })

  act() {
    const { EMAIL: email } = parseWords(Words, { EMAIL: this.email })
    return this.write(writes.setEmail, { username: this.username, email }, accountWords)
  }
}
