import type { ResourceKind } from '../resource-kind.ts'

// A key opens the files for good: the customer's alone to give, or root's.
const who = {
  doors: ['page', 'command'],
  roles: ['administrator', 'customer'],
  isPersonal: true,
} as const

/** Public keys for SFTP. */
export const sftpKeys = {
  tables: ['sftp_keys'],
  restore: 'restore_sftp_key',
  operations: {
    'sftp/add-key': { lane: 'account', wants: ['key_id'], ...who },
    'sftp/remove-key': { lane: 'account', wants: ['key_id'], ...who },
  },
  events: {},
} as const satisfies ResourceKind
