import { SavedTargetCommand } from './words.ts'

export class AccountBackupTargetSetCommand extends SavedTargetCommand {
  static override summary = 'change a target for backups of accounts'
  static override details = `
    Give all options again: the target is tested and saved as by add. Without --secret-stdin the
    credentials are kept, as long as server and user stay the same. The target must still have
    the existing backups.
  `
  static override examples = { 'Send new backups there': '$0 disk --folder /mnt/backups --default' }

  act() {
    return this.save()
  }
}
