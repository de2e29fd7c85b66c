import { z } from 'zod'
import * as restores from '../model/account-backups/restores.ts'
import { backupContentEndpoints } from './account-backup-contents.ts'
import { reading, writing, type Endpoint } from './endpoint.ts'

const restore: restores.AccountRestore = {
  id: '3',
  backup: '7',
  state: 'done',
  items: {
    ...{ everything: false, sites: ['alice.example'], paths: [], databases: ['alice_shop'] },
    mailboxes: ['info@alice.example'],
  },
  keeps_replaced: true,
  safety_backup: '12',
  bytes: 84_120_332,
  files: 1_804,
  warnings: [],
  error: null,
  created_at: '2026-11-27T09:02:00.000Z',
  finished_at: '2026-11-27T09:03:10.000Z',
}

const id = z.string().regex(/^[1-9][0-9]{0,18}$/)
// A caller that can restore files can run them as the account.
const permissions = ['Provisioning and hosting'] as const
const needed = ' The token must have the permission `Provisioning and hosting`.'
const common = { tag: 'Backups', permissions } as const

/** The endpoints of restores from backups of accounts, and of what can be restored. */
export const accountRestoreEndpoints: Endpoint[] = [
  writing({
    ...common,
    refusals: ['not_found'],
    id: 'restoreBackup',
    method: 'POST',
    path: '/accounts/{username}/backups/{backup}/restore',
    parameters: { backup: { schema: id, example: '7' } },
    summary: 'Restore parts of a backup',
    description:
      'Backs the account up first, and answers once its databases are dumped. The restore then ' +
      'reads the parts, and is `done` once they are in the account. Nothing is changed if one ' +
      `of them is not in the backup, or the account has no room for them.${needed}`,
    body: {
      name: 'NewRestore',
      schema: restores.NewRestore,
      example: { sites: ['alice.example'], mailboxes: ['info@alice.example'] },
      isRequired: true,
    },
    answers: {
      201: {
        ...{ description: 'The restore has begun', hasLocation: true },
        ...{ name: 'StartedRestore', schema: restores.StartedRestore },
        example: { id: restore.id, state: 'saving', safety_backup: restore.safety_backup },
      },
    },
    write: restores.restore,
    toDesired: ({ username, backup }, body) => ({ ...body, username, backup }),
  }),
  reading({
    ...common,
    refusals: ['not_found'],
    id: 'listRestores',
    method: 'GET',
    path: '/accounts/{username}/restores',
    summary: 'List the restores of an account',
    description: `The newest is first.${needed}`,
    answers: {
      200: {
        description: 'The restores',
        name: 'RestoreList',
        schema: z.strictObject({ restores: z.array(restores.AccountRestore) }),
        example: { restores: [restore] },
      },
    },
    read:
      ({ pool }) =>
      async ({ caller, params }) => ({
        restores: await restores.listFor(pool, caller, params.username),
      }),
  }),
  reading({
    ...common,
    refusals: ['not_found'],
    id: 'getRestore',
    method: 'GET',
    path: '/accounts/{username}/restores/{restore}',
    parameters: { restore: { schema: id, example: restore.id } },
    summary: 'Get a restore of an account',
    description:
      'It is `saving` while the account is backed up, `reading` while the parts are read, and ' +
      `\`staged\` until they are in the account.${needed}`,
    answers: {
      200: {
        description: 'The restore',
        name: 'Restore',
        schema: restores.AccountRestore,
        example: restore,
      },
    },
    read:
      ({ pool }) =>
      ({ caller, params }) =>
        restores.findFor(pool, caller, params.username, params.restore),
  }),
  ...backupContentEndpoints,
]
