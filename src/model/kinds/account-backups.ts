import { byThePanel, forAll } from '../operations/operation-kind.ts'
import type { ResourceKind } from '../operations/resource-kind.ts'

const onTargets = {
  lane: 'server',
  channels: ['api', 'cli'],
  roles: ['administrator'],
} as const

/** Backups of accounts, and where they go. */
export const accountBackups = {
  tables: [],
  restore: 'restore_account_backup',
  complete: 'complete_account_backups',
  operations: {
    'backup/create': { lane: 'account', params: [], ...forAll },
    // Backs the account up first. It is completed by the next, when the content was read.
    'backup/restore': {
      lane: 'account',
      params: ['backup_id', 'items', 'keeps_replaced'],
      ...forAll,
    },
    'backup/finish-restore': { lane: 'account', params: [], ...byThePanel },
    'backup/set-target': { ...onTargets, params: ['target_name', 'target', 'is_default'] },
    'backup/test-target': { ...onTargets, params: ['target_name'] },
    'backup/remove-target': { ...onTargets, params: ['target_name'] },
  },
  labels: {
    'backup/create': 'Back up account',
    'backup/restore': 'Restore from backup',
    'backup/finish-restore': 'Complete restore',
    'backup/set-target': 'Set backup target',
    'backup/test-target': 'Test backup target',
    'backup/remove-target': 'Remove backup target',
  },
  themes: { backup: 'Backups' },
  part: { name: 'account backups', isSuspended: false },
  // Woken when a backup's databases are dumped.
  scheduled: { 'backup/run': '* * * * *' },
  refusals: {
    backup_unknown: [404, 'the account has no such backup'],
    backup_unlisted: [404, 'there is no list of this backup'],
    backup_in_progress: [400, 'a backup of the account is in progress'],
    restore_unknown: [404, 'the account has no such restore'],
    restore_in_progress: [400, 'a restore of the account is in progress'],
    no_backup_target: [400, 'there is no target for backups'],
    backup_target_unknown: [404, 'there is no such target for backups'],
  },
  events: {},
} as const satisfies ResourceKind
