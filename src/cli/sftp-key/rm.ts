import { Option } from 'clipanion'
import { remove } from '../../model/sftp-keys/sftp-keys.ts'
import { AccountCommand, accountWords } from '../account/account-command.ts'

export class SftpKeyRmCommand extends AccountCommand {
  static override summary = 'take a public key from an account'
  static override details = 'The ID is the one that `panel sftp-key ls` shows. Open sessions end.'
  static override examples = { 'Take it away, without a question': '$0 alice 7 --yes' }

  id = Option.String({ name: 'ID' })

  async act() {
    const { username, id } = this
    await this.ask(`Take the key ${id} from ${username}?`)
    return this.write(remove, { username, keyId: id }, accountWords)
  }
}
