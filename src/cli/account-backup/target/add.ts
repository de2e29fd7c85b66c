import { SavedTargetCommand } from './words.ts'

export class AccountBackupTargetAddCommand extends SavedTargetCommand {
  static override summary = 'add a target for backups of accounts'
  static override details = `
    The target is saved once data was written there, read back and deleted. The first one is the
    default. An SFTP server needs its host key; its users sign in with a private key.
  `
  static override examples = {
    'A mounted disk': '$0 disk --folder /mnt/backups',
    'Another server by SFTP':
      '$0 remote --ssh panel@backup.example.com/srv/panel --host-key "ssh-ed25519 AAAA…" ' +
      '--secret-stdin',
  }

  act() {
    return this.save()
  }
}
