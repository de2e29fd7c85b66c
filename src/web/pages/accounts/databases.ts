import * as accounts from '../../../model/accounts/accounts.ts'
import * as databases from '../../../model/databases/databases.ts'
import { word } from '../../api-call.ts'
import { form, type FormAsked } from '../../form.ts'
import { operators } from '../../page.ts'
import { roomFor } from '../../room.ts'
import { passwordOf, showPassword } from '../databases/own.ts'
import { databaseFields, lossWords, nameOf, roomWords, things } from '../databases/words.ts'
import { t } from '../../texts/texts.ts'
import { lockedNotice, pathOf } from './shown.ts'

// Administrators and resellers add and remove an account's databases.

const toAccount = ({ username }: { username: string }) => pathOf(username)

const find = ({ pool, caller, params }: FormAsked<'/:username'>) =>
  accounts.get(pool, caller, params.username)

/** /accounts/USERNAME/databases/new */
export const addDatabaseTo = form({
  path: '/accounts/:username/databases/new',
  roles: operators,
  title: ({ username }) => t('accounts.addDatabaseUsername', { username }),
  parent: toAccount,
  fields: databaseFields,
  async load(asked) {
    const { id, username, package: of } = await find(asked)
    const [all, warning] = await Promise.all([
      databases.ofAccount(asked.pool, id),
      databases.findWarning(asked.pool),
    ])
    if (warning !== null) return { words: [`${warning}.`], isIdle: true }
    const room = roomFor(things, {
      ...{ has: all.length, max: of.maxDatabases, packageName: of.name },
    })
    return room.isIdle ? room : { words: [...room.words, ...roomWords(username)] }
  },
  submit: 'accounts.addDatabase',
  call: ({ username }, values) => ({
    command: `panel database add ${word(username)} ${word(values['suffix'])}`,
  }),
  write: databases.create,
  toDesired: given => ({
    ...{ username: given.params.username, suffix: given.values.suffix },
    password: passwordOf(given),
  }),
  shows(given) {
    const { username } = given.params
    const database = nameOf(username, given.values.suffix)
    const title =
      given.job === undefined ? t('accounts.databaseReady') : t('accounts.databaseBeingCreated')
    const back = pathOf(username)
    return showPassword(given, { title, database, user: database, job: given.job, back })
  },
})

/** /accounts/USERNAME/databases/DATABASE/remove */
export const removeDatabaseFrom = form({
  path: '/accounts/:username/databases/:database/remove',
  roles: operators,
  title: ({ database }) => t('accounts.removeDatabase', { database }),
  parent: toAccount,
  fields: {},
  async load(asked) {
    const { username, database } = asked.params
    const record = await find(asked)
    const all = await databases.list(asked.pool, asked.caller, username)
    const words = lossWords(all, database)
    return lockedNotice(asked.caller, record) ?? { words }
  },
  submit: 'accounts.removeDatabaseTitle',
  isDanger: true,
  confirm: ({ database }) => database,
  call: ({ username, database }) => ({
    command: `panel database rm ${word(username)} ${word(database)}`,
  }),
  write: databases.drop,
  toDesired: ({ params }) => params,
  flash: ({ database }) => t('accounts.databaseWasRemoved', { database }),
})
