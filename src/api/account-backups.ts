import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { PanelError } from '../errors.ts'
import * as backups from '../model/account-backups/account-backups.ts'
import { targetName } from '../model/account-backups/targets.ts'
import * as targets from '../model/account-backups/target-writes.ts'
import { EmptyBody, reading, writing, type Endpoint } from './endpoint.ts'

const backup: backups.AccountBackup = {
  id: '7',
  state: 'done',
  created_at: '2026-11-27T02:10:00.000Z',
  finished_at: '2026-11-27T02:10:42.000Z',
  target: 'disk',
  dumps: ['databases/alice_shop.sql'],
  bytes_read: 221_344_768,
  bytes_added: 2_139_095,
  files: 2_040,
  duration_ms: 41_870,
  warnings: [],
  error: null,
}

const target: targets.TargetRow = {
  name: 'disk',
  address: { kind: 'folder', path: '/mnt/backups' },
  is_default: true,
  tested_at: '2026-11-26T09:30:00.000Z',
  repositories: 12,
  last_completed_at: backup.finished_at,
}

const saved: targets.SavedTarget = { name: target.name, address: target.address }

// A caller that can restore files can run them as the account.
const permissions = ['Provisioning and hosting'] as const
const needed = ' The token must have the permission `Provisioning and hosting`.'
const onlyAdministrators = `Only for administrators.${needed}`
const tag = 'Backups' as const
const common = { tag, permissions }

const oneTarget = { name: 'SavedBackupTarget', schema: targets.SavedTarget, example: saved }
const inPath = { target: { schema: targetName, example: target.name } }

/** Parses the name in the path; another text names no target. */
function targetOf(name: string): string {
  if (!targetName.safeParse(name).success) {
    throw new PanelError('invalid', 'The name of a target is 1 to 32 lower-case letters')
  }
  return name
}

const targetEndpoints: Endpoint[] = [
  reading({
    ...common,
    id: 'listBackupTargets',
    method: 'GET',
    path: '/backup-targets',
    summary: 'List the targets for backups of accounts',
    description: `By name, without credentials. ${onlyAdministrators}`,
    answers: {
      200: {
        description: 'The targets',
        name: 'BackupTargetList',
        schema: z.strictObject({ targets: z.array(targets.TargetRow) }),
        example: { targets: [target] },
      },
    },
    refusals: [],
    read:
      ({ pool }) =>
      async ({ caller }) => ({ targets: await targets.listTargetsFor(pool, caller) }),
  }),
  writing({
    ...common,
    id: 'putBackupTarget',
    method: 'PUT',
    path: '/backup-targets/{target}',
    parameters: inPath,
    summary: 'Add or change a target for backups of accounts',
    description:
      'The target is saved once data was written there, read back and deleted. The first one is ' +
      `the default. ${onlyAdministrators}`,
    body: {
      name: 'BackupTarget',
      schema: targets.GivenTarget,
      example: { address: target.address },
      isRequired: true,
    },
    answers: { 200: { description: 'The target was saved', ...oneTarget } },
    refusals: [],
    write: targets.setTarget,
    toDesired: (params, { address, credentials, is_default }, { serverKey }) => ({
      ...{ name: targetOf(params.target), address, credentials: credentials ?? undefined },
      ...{ isDefault: is_default ?? false, serverKey },
      newKey: () => randomBytes(32).toString('base64url'),
    }),
  }),
  writing({
    ...common,
    id: 'testBackupTarget',
    method: 'POST',
    path: '/backup-targets/{target}/test',
    parameters: inPath,
    summary: 'Test a target for backups of accounts',
    description:
      'Writes, reads and deletes data there; where it is append-only, deletes nothing. ' +
      onlyAdministrators,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The target has passed the test', ...oneTarget } },
    refusals: ['not_found'],
    write: targets.testTarget,
    toDesired: params => ({ name: targetOf(params.target) }),
  }),
  writing({
    ...common,
    id: 'removeBackupTarget',
    method: 'DELETE',
    path: '/backup-targets/{target}',
    parameters: inPath,
    summary: 'Remove a target for backups of accounts',
    description: `A target with backups is refused with 400. ${onlyAdministrators}`,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The target as it was', ...oneTarget } },
    refusals: ['not_found'],
    write: targets.removeTarget,
    toDesired: params => ({ name: targetOf(params.target) }),
  }),
]

/** The endpoints of backups of accounts, and of the targets where they go. */
export const accountBackupEndpoints: Endpoint[] = [
  ...targetEndpoints,
  reading({
    ...common,
    id: 'listBackups',
    method: 'GET',
    path: '/accounts/{username}/backups',
    summary: 'List the backups of an account',
    description: `The newest is first.${needed}`,
    answers: {
      200: {
        description: 'The backups',
        name: 'BackupList',
        schema: z.strictObject({ backups: z.array(backups.AccountBackup) }),
        example: { backups: [backup] },
      },
    },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      async ({ caller, params }) => ({
        backups: await backups.listFor(pool, caller, params.username),
      }),
  }),
  reading({
    ...common,
    id: 'getBackup',
    method: 'GET',
    path: '/accounts/{username}/backups/{backup}',
    parameters: { backup: { schema: z.string().regex(/^[1-9][0-9]{0,18}$/), example: backup.id } },
    summary: 'Get a backup of an account',
    description: `It is \`done\` once it was read back.${needed}`,
    answers: {
      200: {
        description: 'The backup',
        name: 'Backup',
        schema: backups.AccountBackup,
        example: backup,
      },
    },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      ({ caller, params }) =>
        backups.findFor(pool, caller, params.username, params.backup),
  }),
  writing({
    ...common,
    id: 'createBackup',
    method: 'POST',
    path: '/accounts/{username}/backups',
    summary: 'Back up an account now',
    description:
      'Answers once the databases are dumped. The backup then stores files, and is `done` once ' +
      `it was read back: \`backup.completed\` reports that.${needed}`,
    body: { schema: EmptyBody },
    answers: {
      201: {
        ...{ description: 'The databases are dumped', hasLocation: true },
        ...{ name: 'StartedBackup', schema: backups.StartedBackup },
        example: { id: backup.id, state: 'ready', dumps: backup.dumps },
      },
    },
    refusals: ['not_found'],
    write: backups.create,
    toDesired: params => params,
  }),
]
