import { Option } from 'clipanion'
import type { ZodError } from 'zod'
import { PanelError } from '../../errors.ts'
import { previewFor } from '../../model/account-backups/contents.ts'
import { itemsOf, NewRestore, restore } from '../../model/account-backups/restores.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { AccountCommand } from '../account/account-command.ts'
import { fields, table } from '../columns.ts'

export class AccountBackupRestoreCommand extends AccountCommand {
  static override summary = 'restore parts of a backup of an account'
  static override details = `
    The account is backed up first; \`panel account-backup restore-ls\` shows when the restore is
    done. A folder is replaced as a whole, and so is a database; a mailbox keeps what it has, and
    gets its missing messages, folders and filters. Replaced files stay in the trash
    and count as disk usage, unless they are discarded: the backup before the restore has them too.
  `
  static override examples = {
    'Restore a website': '$0 alice 7 --site alice.example --yes',
    'Restore a file and a database':
      '$0 alice 7 --path files/notes.txt --database alice_shop --yes',
    'Preview that': '$0 alice 7 --everything --preview',
    'Restore everything': '$0 alice 7 --everything --yes',
  }

  backup = Option.String({ name: 'ID' })
  everything = Option.Boolean('--everything', false, {
    description: 'all websites, files, databases and mailboxes of the backup',
  })
  sites = Option.Array('--site', [], { description: 'the folder of a website; repeatable' })
  files = Option.Array('--path', [], {
    description: 'a file or folder, as a path in the home; repeatable',
  })
  databases = Option.Array('--database', [], { description: 'a database; repeatable' })
  mailboxes = Option.Array('--mailbox', [], {
    description: 'a mailbox, which keeps the mail that it has now; repeatable',
  })
  discard = Option.Boolean('--discard-replaced', false, {
    description: 'do not keep replaced files in the trash',
  })

  preview = Option.Boolean('--preview', false, {
    description: 'show what it would do, and change nothing',
  })

  async act() {
    const { username, backup, everything, sites, files: paths, databases, mailboxes } = this
    const parts = { everything, sites, paths, databases, mailboxes }
    const given = { ...parts, keeps_replaced: !this.discard }
    const parsed = NewRestore.safeParse(given)
    if (!parsed.success) throw new PanelError('invalid', sentenceOf(parsed.error))
    const desired = { username, backup, ...parsed.data }
    if (this.preview) return this.#show(parsed.data)
    await this.ask(`Replace parts of ${username} by those of backup ${backup}?`)
    return this.write(restore, desired, fields)
  }

  async #show(given: NewRestore): Promise<void> {
    const { db } = await this.open()
    const asked = { username: this.username, backup: this.backup, items: itemsOf(given) }
    const shown = await previewFor(db, await rootCaller(db), asked)
    const rows = shown.items.map(one => [
      ...[one.effect, one.kind, String(one.files ?? ''), String(one.bytes), one.name],
    ])
    this.show(shown, table(['EFFECT', 'KIND', 'FILES', 'BYTES', 'NAME'], rows, { hasRemark: true }))
  }
}

function sentenceOf({ issues }: ZodError): string {
  const { path, message } = issues[0]!
  return `${String(path[0])} ${message}`
}
