import { get } from '../../model/accounts/accounts.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { list } from '../../model/sftp-keys/sftp-keys.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class SftpKeyLsCommand extends DatabaseCommand {
  static override summary = "list the public keys of an account's SFTP login"
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const keys = await list(db, await get(db, await rootCaller(db), this.username))
    const rows = keys.map(({ id, kind, fingerprint, comment }) => [id, kind, fingerprint, comment])
    this.show({ keys }, table(['ID', 'KIND', 'FINGERPRINT', 'COMMENT'], rows))
  }
}
