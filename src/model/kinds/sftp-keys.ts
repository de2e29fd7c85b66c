import { z } from 'zod'
import { hostSftpKeys } from '../sftp-keys/host-sftp-keys.ts'
import { serviceWarning, type ResourceKind } from '../operations/resource-kind.ts'

// A key gives lasting access to the files: only the customer, or root, may add one.
const who = {
  channels: ['page', 'cli'],
  roles: ['administrator', 'customer'],
  isPersonal: true,
} as const

/** Public keys for SFTP. */
export const sftpKeys = {
  tables: ['sftp_keys'],
  restore: 'restore_sftp_key',
  operations: {
    'sftp/add-key': { lane: 'account', params: ['key_id'], ...who },
    'sftp/remove-key': { lane: 'account', params: ['key_id'], ...who },
  },
  labels: { 'sftp/add-key': 'Add SFTP key', 'sftp/remove-key': 'Remove SFTP key' },
  themes: { sftp: 'SFTP keys' },
  record: {
    key: 'sftpKeys',
    sql: `select json_agg(
        json_build_object('id', k.id::text, 'key', k.key, 'desired', k.desired) order by k.id)
      from panel.sftp_keys k
      where k.account_id = a.id`,
    schema: z.array(
      z.strictObject({
        id: z.string(),
        key: z.string(),
        desired: z.enum(['reserved', 'present', 'absent']),
      }),
    ),
  },
  warnings: [serviceWarning('sftp', 'p.sftp')],
  host: hostSftpKeys,
  part: { name: 'sftp', isSuspended: false },
  events: {},
} as const satisfies ResourceKind
