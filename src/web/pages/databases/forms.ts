import { requireRole } from '../../../model/signing-in/callers.ts'
import * as databases from '../../../model/databases/databases.ts'
import { select, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { customers } from '../../page.ts'
import { roomFor } from '../../room.ts'
import { ownAccount } from '../customer/own.ts'
import { base, ownDatabase, ownDatabases, passwordOf, pathOf, showPassword } from './own.ts'
import { databaseFields, lossWords, nameOf, roomWords } from './words.ts'

// A customer adds and removes databases, and says who may use them.

// One that is not made yet has no page.
const backTo = (job: string | undefined, database: string): string =>
  job === undefined ? pathOf(database) : base

const rights = select('May', databases.rights.exclude(['none']))
const rightsOptions = [
  { value: 'all', label: 'read and write' },
  { value: 'read', label: 'read only' },
]

const path = `${base}/:database` as const
const toDatabase = ({ database }: { database: string }) => pathOf(database)

export const addDatabase = form({
  path: `${base}/new`,
  roles: customers,
  title: () => 'Add database',
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
    const room = roomFor('database', { has: own.length, max: record.package.maxDatabases })
    return room.isIdle ? room : { words: [...room.words, ...roomWords(record.username)] }
  },
  submit: 'Add database',
  write: databases.create,
  toDesired: given => ({
    ...{ username: given.session.name, suffix: given.values.suffix },
    password: passwordOf(given),
  }),
  shows(given) {
    const database = nameOf(given.session.name, given.values.suffix)
    return showPassword(given, {
      ...{ database, user: database, job: given.job, back: backTo(given.job, database) },
      title: given.job === undefined ? 'The database is ready' : 'The database is being created',
    })
  },
})

export const optimizeDatabase = form({
  path: `${path}/optimize`,
  roles: customers,
  title: ({ database }) => `Optimize ${database}`,
  parent: toDatabase,
  fields: {},
  async load(asked) {
    requireRole(asked.caller, 'database/optimize')
    await ownDatabase(asked, asked.params.database)
    return {
      words: [
        'Deleting rows does not free disk space by itself. This rewrites each table without ' +
          'the deleted rows. Websites that write to a table wait meanwhile.',
      ],
    }
  },
  submit: 'Optimize',
  write: databases.optimize,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  flash: ({ database }) => `${database} was optimized.`,
})

export const removeDatabase = form({
  path: `${path}/remove`,
  roles: customers,
  title: ({ database }) => `Remove ${database}`,
  parent: toDatabase,
  fields: {},
  async load(asked) {
    return { words: lossWords(await ownDatabases(asked), asked.params.database) }
  },
  submit: 'Remove database',
  isDanger: true,
  confirm: ({ database }) => database,
  write: databases.drop,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  then: () => base,
  flash: ({ database }) => `${database} was removed.`,
})

export const addUser = form({
  path: `${path}/users/new`,
  roles: customers,
  title: ({ database }) => `Add user to ${database}`,
  parent: toDatabase,
  fields: {
    suffix: text('Name', databases.suffix, {
      example: 'report',
      hint: 'Up to 16 lower-case letters and digits; your username and an underscore go in front.',
      inputs: ['user'],
    }),
    rights,
  },
  async load(asked) {
    requireRole(asked.caller, 'database/grant')
    await ownDatabase(asked, asked.params.database)
    return {
      values: { rights: 'all' },
      options: { rights: rightsOptions },
      words: ['The password is shown once.'],
    }
  },
  submit: 'Add user',
  write: databases.grant,
  toDesired: given => ({
    ...{ username: given.session.name, database: given.params.database },
    user: nameOf(given.session.name, given.values.suffix),
    ...{ rights: given.values.rights, password: passwordOf(given) },
    isNew: true as const,
  }),
  shows: given =>
    showPassword(given, {
      title: given.job === undefined ? 'The user is ready' : 'The user is being created',
      database: given.params.database,
      user: nameOf(given.session.name, given.values.suffix),
      job: given.job,
      back: backTo(given.job, given.params.database),
    }),
})

export const changeRights = form({
  path: `${path}/users/:user`,
  roles: customers,
  title: ({ user }) => `Rights of ${user}`,
  parent: toDatabase,
  fields: { rights: select('May', databases.rights) },
  async load(asked) {
    requireRole(asked.caller, 'database/grant')
    const { user, database } = asked.params
    return {
      values: { rights: await rightsOf(asked, asked.params) },
      options: { rights: [...rightsOptions, { value: 'none', label: 'nothing' }] },
      words: [
        `This applies to ${database} only. A user without any database is deleted; running ` +
          'statements that are no longer allowed are stopped.',
      ],
      user,
    }
  },
  submit: 'Save',
  write: databases.grant,
  toDesired: ({ session, params, values }) => ({ username: session.name, ...params, ...values }),
  flash: ({ user }) => `The rights of ${user} were changed.`,
})

export const newPassword = form({
  path: `${path}/users/:user/password`,
  roles: customers,
  title: ({ user }) => `New password for ${user}`,
  parent: toDatabase,
  fields: {},
  async load(asked) {
    requireRole(asked.caller, 'database/set-password')
    await rightsOf(asked, asked.params)
    return {
      words: [
        'The old one stops working at once: websites cannot connect until they have the new one, ' +
          'which is generated here and shown once.',
      ],
    }
  },
  submit: 'Generate password',
  write: databases.setPassword,
  toDesired: given => ({
    ...{ username: given.session.name, user: given.params.user },
    password: passwordOf(given),
  }),
  shows: given =>
    showPassword(given, {
      ...given.params,
      title: given.job === undefined ? 'The password was changed' : 'The password is being changed',
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
