import { listTargets } from '../../../model/account-backups/target-writes.ts'
import type { Target } from '../../../model/account-backups/targets.ts'
import { table } from '../../columns.ts'
import { DatabaseCommand } from '../../database-command.ts'

export class AccountBackupTargetLsCommand extends DatabaseCommand {
  static override summary = 'list the targets for backups of accounts'
  static override details = 'Credentials are never shown.'
  static override examples = { 'List them': '$0' }

  async act(): Promise<void> {
    const { db } = await this.open()
    const targets = await listTargets(db)
    const rows = targets.map(one => [
      ...[one.name, one.is_default ? 'yes' : 'no', one.address.kind, addressOf(one.address)],
      ...[String(one.repositories), one.tested_at, one.last_completed_at ?? 'never'],
    ])
    const head = ['NAME', 'DEFAULT', 'KIND', 'ADDRESS', 'REPOSITORIES', 'TESTED', 'LAST BACKUP']
    this.show({ targets }, table(head, rows))
  }
}

function addressOf(address: Target): string {
  if (address.kind === 'folder') return address.path
  if (address.kind === 'sftp')
    return `${address.user}@${address.host}:${address.port}:${address.path}`
  return address.kind === 'rest' ? address.url : `${address.url}/${address.bucket}`
}
