import { Option } from 'clipanion'
import { PanelError } from '../../errors.ts'
import { contentsFor, folderFor, FolderQuery } from '../../model/account-backups/contents.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class AccountBackupFilesCommand extends DatabaseCommand {
  static override summary = 'list the files, databases and mailboxes of a backup'
  static override details = `
    Lists a folder of the home, such as sites/example.com; at the top also databases and mailboxes.
    At most 1000 names are listed: \`--after NAME\` lists those after a name.
  `
  static override examples = {
    'List the top': '$0 alice 7',
    'List a folder': '$0 alice 7 files/notes',
  }

  username = argument('USERNAME', 'accounts')
  backup = Option.String({ name: 'ID' })
  folder = Option.String({ name: 'FOLDER', required: false })
  after = Option.String('--after', { description: 'list only names after this one' })

  async act(): Promise<void> {
    const { db } = await this.open()
    const caller = await rootCaller(db)
    const { username, backup, folder = '', after } = this
    const parsed = FolderQuery.safeParse({ path: folder, after, limit: '1000' })
    if (!parsed.success) throw new PanelError('invalid', parsed.error.issues[0]!.message)
    const listing = await folderFor(db, caller, { username, backup, ...parsed.data })
    const rows = listing.entries.map(({ type, name, files, bytes, modified_at }) => [
      ...[type, String(files), String(bytes), modified_at, name],
    ])
    const parts = folder === '' ? await contentsFor(db, caller, { username, backup }) : undefined
    for (const { database, bytes } of parts?.databases ?? []) {
      rows.push(['database', '', String(bytes), '', database])
    }
    for (const { mailbox, files, bytes } of parts?.mailboxes ?? []) {
      rows.push(['mailbox', String(files), String(bytes), '', mailbox])
    }
    const head = ['TYPE', 'FILES', 'BYTES', 'MODIFIED', 'NAME']
    this.show({ ...listing, ...parts }, table(head, rows, { hasRemark: true }))
  }
}
