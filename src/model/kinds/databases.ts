import { z } from 'zod'
import { name } from '../events/event-fields.ts'
import { sql } from '../../db.ts'
import { databasesOf, hostDatabases } from '../databases/host-databases.ts'
import { beyondTheApi } from '../operations/operation-kind.ts'
import { eventKind, serviceWarning, type ResourceKind } from '../operations/resource-kind.ts'

const data = z.strictObject({ username: name, database: name })
const example = { username: 'alice', database: 'alice_shop' }

/** Databases and their users. */
export const databases = {
  tables: ['database_users', 'databases'],
  restore: 'restore_database',
  complete: 'complete_databases',
  operations: {
    'database/create': {
      lane: 'account',
      params: ['database_id'],
      ...beyondTheApi,
      isPersonal: true,
    },
    'database/drop': { lane: 'account', params: ['database_id'], ...beyondTheApi, lifts: true },
    'database/set-password': {
      lane: 'account',
      params: ['user_id', 'hash'],
      ...beyondTheApi,
      isPersonal: true,
    },
    'database/grant': {
      lane: 'account',
      params: ['database_id', 'user_id', 'rights'],
      ...beyondTheApi,
      isPersonal: true,
    },
    // A stored upload (`import`), or a file in the account's home.
    'database/import': {
      lane: 'account',
      params: ['database_id', 'import', 'file'],
      ...beyondTheApi,
    },
    // The command writes the dump by itself, for root.
    'database/export': {
      ...{ lane: 'account', params: ['database_id'] },
      ...{ channels: ['page'], roles: ['administrator', 'reseller', 'customer'] },
    },
    'database/optimize': { lane: 'account', params: ['database_id'], ...beyondTheApi },
    // The panel closes it when its time is over.
    'database/open': {
      ...{ lane: 'account', params: ['database_id', 'ticket', 'cookie', 'hash'] },
      ...{ channels: ['page'], roles: ['customer'] },
    },
    'database/close': {
      ...{ lane: 'account', params: ['database_id'] },
      ...{ channels: ['page'], roles: ['customer'] },
    },
  },
  labels: { 'database/grant': 'Change rights to a database' },
  themes: { database: 'Databases' },
  warnings: [
    serviceWarning('databases', 'exists (select from panel.databases d where d.account_id = a.id)'),
    `case when exists (
          select from panel.databases d where d.account_id = a.id and d.frozen_at is not null)
        then jsonb_build_object(
          'code', 'databases_frozen',
          'sentence', 'The disk is full: its databases reject writes until space is freed')
        else '[]' end`,
  ],
  secretRows: {
    key: 'databases',
    // A suspension does not wait for changes that need MariaDB.
    sql: `account_databases(a.id)::jsonb || jsonb_build_object('mayWait', p_may_wait)`,
  },
  host: hostDatabases,
  part: { name: 'databases', isSuspended: true },
  scheduled: { 'usage/databases': '* * * * *' },
  upload: '^/account/databases/[a-z0-9_-]+/import$',
  suggested: {
    kind: 'database',
    rows: sql`select name, account_id from panel.databases
      where desired = 'present' and added_by is null`,
  },
  words: {
    databases: username => sql`
      select d.name as word from panel.databases d join panel.accounts a on a.id = d.account_id
      where a.username = ${username} and d.desired = 'present'`,
    // A database may be named before them too.
    'database-users': before => sql`
      select u.name as word from panel.database_users u join panel.accounts a on a.id = u.account_id
      where u.desired = 'present' and (a.username = ${before} or exists (
        select from panel.databases d where d.account_id = a.id and d.name = ${before}))`,
  },
  deletions: (_record: object, account: Parameters<typeof databasesOf>[0]) =>
    databasesOf(account).map(database => ['database.deleted', { database }] as const),
  refusals: {
    database_taken: [400, 'a database or database user of this name exists on the server'],
    too_many_databases: [400, 'the package allows fewer databases'],
    database_unknown: [404, 'the account has no such database, or database user'],
  },
  events: {
    'database.created': eventKind('a database was made', data, example),
    'database.deleted': eventKind('a database was dropped', data, example),
  },
} as const satisfies ResourceKind
