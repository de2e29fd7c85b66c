import { Option } from 'clipanion'
import { remove } from '../../model/sftp-keys/sftp-keys.ts'
import { AccountCommand, accountWords } from '../account/account-command.ts'

export class SftpKeyRmCommand extends AccountCommand {
  static override summary = 'remove a public key from an account'
  static override details = 'Take the ID from `panel sftp-key ls`. Open sessions are closed.'
  static override examples = { 'Remove a key without confirmation': '$0 alice 7 --yes' }

  id = Option.String({ name: 'ID' })

  async act() {
    const { username, id } = this
    await this.ask(`Remove the key ${id} from ${username}?`)
    return this.write(remove, { username, keyId: id }, accountWords)
  }
}
