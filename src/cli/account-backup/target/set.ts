import { SavedTargetCommand } from './words.ts'

export class AccountBackupTargetSetCommand extends SavedTargetCommand {
  static override summary = 'change a target for backups of accounts'
  static override details = `
    Give all options again: the target is tested and saved as by add. Without --secret-stdin the
    credentials stay, if the server and its user do. Existing backups are expected there.
  `
  static override examples = { 'Send new backups there': '$0 disk --folder /mnt/backups --default' }

  act() {
    return this.save()
  }
}
