import { PanelError } from '../../errors.ts'
import { publicKeyLine } from '../../model/sftp-keys/public-keys.ts'
import { add } from '../../model/sftp-keys/sftp-keys.ts'
import { AccountCommand, accountWords } from '../account/account-command.ts'
import { argument } from '../completion/completers.ts'
import { readSmallFile } from '../small-file.ts'

export class SftpKeyAddCommand extends AccountCommand {
  static override summary = "add a public key for an account's SFTP login"
  static override details = 'The file must contain one line in OpenSSH format, without options.'
  static override examples = { 'Add a key': '$0 alice id_ed25519.pub' }

  file = argument('FILE', 'files')

  async act() {
    const { username, file } = this
    const parsed = publicKeyLine.safeParse(await readSmallFile(file, 'a public key'))
    if (parsed.success) return this.write(add, { username, key: parsed.data }, accountWords)
    const [issue] = parsed.error.issues
    throw new PanelError('invalid', `The key ${issue?.message}`)
  }
}
