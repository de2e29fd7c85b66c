import { requireRole } from '../../../model/signing-in/callers.ts'
import * as databases from '../../../model/databases/databases.ts'
import { select, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { customers } from '../../page.ts'
import { roomFor } from '../../room.ts'
import { ownAccount } from '../customer/own.ts'
import { t } from '../../texts/texts.ts'
import { base, ownDatabase, ownDatabases, passwordOf, pathOf, showPassword } from './own.ts'
import { databaseFields, lossWords, nameOf, roomWords, things } from './words.ts'

// A customer adds and removes databases, and says who may use them.

// A database being created has no page.
const backTo = (job: string | undefined, database: string): string =>
  job === undefined ? pathOf(database) : base

const rights = select('databases.may', databases.rights.exclude(['none']))
const rightsOptions = () => [
  { value: 'all', label: t('databases.readWrite') },
  { value: 'read', label: t('databases.readOnly') },
]

const path = `${base}/:database` as const
const toDatabase = ({ database }: { database: string }) => pathOf(database)

export const addDatabase = form({
  path: `${base}/new`,
  roles: customers,
  title: () => t('databases.addDatabase'),
  parent: () => base,
  fields: databaseFields,
  async load(asked) {
    requireRole(asked.caller, 'database/create')
    const [own, record, warning] = await Promise.all([
      ownDatabases(asked),
      ownAccount(asked),
      databases.findWarning(asked.pool),
    ])
    if (warning !== null) return { words: [`${warning}.`], isIdle: true }
    const room = roomFor(things, { has: own.length, max: record.package.maxDatabases })
    return room.isIdle ? room : { words: [...room.words, ...roomWords(record.username)] }
  },
  submit: 'databases.addDatabase',
  write: databases.create,
  toDesired: given => ({
    ...{ username: given.session.name, suffix: given.values.suffix },
    password: passwordOf(given),
  }),
  shows(given) {
    const database = nameOf(given.session.name, given.values.suffix)
    return showPassword(given, {
      ...{ database, user: database, job: given.job, back: backTo(given.job, database) },
      title:
        given.job === undefined
          ? t('databases.databaseReady')
          : t('databases.databaseBeingCreated'),
    })
  },
})

export const optimizeDatabase = form({
  path: `${path}/optimize`,
  roles: customers,
  title: ({ database }) => t('databases.optimizeDatabase', { database }),
  parent: toDatabase,
  fields: {},
  async load(asked) {
    requireRole(asked.caller, 'database/optimize')
    await ownDatabase(asked, asked.params.database)
    return {
      words: [t('databases.deletingRowsDoesNot')],
    }
  },
  submit: 'databases.optimize',
  write: databases.optimize,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  flash: ({ database }) => t('databases.databaseWasOptimized', { database }),
})

export const removeDatabase = form({
  path: `${path}/remove`,
  roles: customers,
  title: ({ database }) => t('databases.removeDatabase', { database }),
  parent: toDatabase,
  fields: {},
  async load(asked) {
    return { words: lossWords(await ownDatabases(asked), asked.params.database) }
  },
  submit: 'databases.removeDatabaseTitle',
  isDanger: true,
  confirm: ({ database }) => database,
  write: databases.drop,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  then: () => base,
  flash: ({ database }) => t('databases.databaseWasRemoved', { database }),
})

export const addUser = form({
  path: `${path}/users/new`,
  roles: customers,
  title: ({ database }) => t('databases.addUserDatabase', { database }),
  parent: toDatabase,
  fields: {
    suffix: text('databases.suffixLabel', databases.suffix, {
      example: 'report',
      hint: 'databases.suffixHint',
      inputs: ['user'],
    }),
    rights,
  },
  async load(asked) {
    requireRole(asked.caller, 'database/grant')
    await ownDatabase(asked, asked.params.database)
    return {
      values: { rights: 'all' },
      options: { rights: rightsOptions() },
      words: [t('databases.passwordShownOnce')],
    }
  },
  submit: 'databases.addUser',
  write: databases.grant,
  toDesired: given => ({
    ...{ username: given.session.name, database: given.params.database },
    user: nameOf(given.session.name, given.values.suffix),
    ...{ rights: given.values.rights, password: passwordOf(given) },
    isNew: true as const,
  }),
  shows: given =>
    showPassword(given, {
      title: given.job === undefined ? t('databases.userReady') : t('databases.userBeingCreated'),
      database: given.params.database,
      user: nameOf(given.session.name, given.values.suffix),
      job: given.job,
      back: backTo(given.job, given.params.database),
    }),
})

export const changeRights = form({
  path: `${path}/users/:user`,
  roles: customers,
  title: ({ user }) => t('databases.rightsUser', { user }),
  parent: toDatabase,
  fields: { rights: select('databases.rightsLabel', databases.rights) },
  async load(asked) {
    requireRole(asked.caller, 'database/grant')
    const { user, database } = asked.params
    return {
      values: { rights: await rightsOf(asked, asked.params) },
      options: { rights: [...rightsOptions(), { value: 'none', label: t('databases.nothing') }] },
      words: [t('databases.appliesDatabaseOnlyUser', { database })],
      user,
    }
  },
  submit: 'databases.save',
  write: databases.grant,
  toDesired: ({ session, params, values }) => ({ username: session.name, ...params, ...values }),
  flash: ({ user }) => t('databases.rightsUserWereChanged', { user }),
})

export const newPassword = form({
  path: `${path}/users/:user/password`,
  roles: customers,
  title: ({ user }) => t('databases.newPasswordForUser', { user }),
  parent: toDatabase,
  fields: {},
  async load(asked) {
    requireRole(asked.caller, 'database/set-password')
    await rightsOf(asked, asked.params)
    return {
      words: [t('databases.oldOneStopsWorking')],
    }
  },
  submit: 'databases.generatePassword',
  write: databases.setPassword,
  toDesired: given => ({
    ...{ username: given.session.name, user: given.params.user },
    password: passwordOf(given),
  }),
  shows: given =>
    showPassword(given, {
      ...given.params,
      title:
        given.job === undefined
          ? t('databases.passwordWasChanged')
          : t('databases.passwordBeingChanged'),
      job: given.job,
      back: backTo(given.job, given.params.database),
    }),
})

/** @throws {PanelError} `database_unknown` where the account has no such database or user */
async function rightsOf(
  asked: Parameters<typeof ownDatabase>[0],
  { database, user }: { database: string; user: string },
): Promise<databases.Database['users'][number]['rights'] | 'none'> {
  const { users, others } = await ownDatabase(asked, database)
  const found = users.find(one => one.user === user)
  if (found === undefined && !others.includes(user)) throw databases.unknownUser(user)
  return found?.rights ?? 'none'
}
